"""A card next to a model file: what it was trained on, at which costs, and what it promises."""

import json
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from stakes import __version__
from stakes._core.files import appearing
from stakes._core.words import markdown_table
from stakes.tables import ClassData

PACKAGES = ("numpy", "scipy", "scikit-learn", "polars", "lightgbm", "xgboost")


def write_card(path, learner, chosen, settings, data, *, run=None, parts=None):
    """Write the card of a model as Markdown, next to its file.

    Parameters
    ----------
    path : str or Path
        The model file; the card has its name with the suffix .md.
    learner : str
        Name of the contestant.
    chosen : dict
        Settings that tuning chose.
    settings : TableSettings
        Where the data came from.
    data : PricedData
        The training rows.
    run : path, default=None
        Folder of the comparison that the learner won.
    parts : dict, default=None
        Of a table in parts, of which `data` is a sample: the number of `rows` and `positives`, and
        sentences on the training, `facts`.

    Returns
    -------
    Path
    """
    card, words = Path(path).with_suffix(".md"), settings.wording()
    shown = [f"# Model card: {Path(path).name}", _facts(learner, chosen, settings, data, parts)]
    shown += [] if parts is None else ["## Training", "\n\n".join(parts["facts"])]
    shown += ["## Costs", _costs(settings, data)]
    shown += [] if parts is None else [f"Of a random sample of {len(data):,} rows:"]
    shown += [words.summary(data), "## Money", _money(run, learner, words)]
    cautions = [f"- {alarm}" for alarm in data.alarms]
    if cautions:
        shown += ["## Cautions", "\n".join(cautions)]
    shown += ["## Columns", ", ".join(f"`{name}`" for name in data.X.columns)]
    shown += ["## Versions", _versions()]
    with appearing(card) as partial:
        partial.write_text("\n\n".join(shown) + "\n", encoding="utf-8")
    return card


def _facts(learner, chosen, settings, data, parts=None):
    rows = [["learner", learner]]
    if chosen:
        rows.append(["settings", ", ".join(f"{key} = {value}" for key, value in chosen.items())])
    if isinstance(data, ClassData):
        rows += [
            ["data", f"{data.name}, {len(data):,} rows"],
            ["classes", f"{settings.target or 'label'}: {', '.join(data.classes)}"],
            ["decisions", ", ".join(data.actions)],
        ]
    else:
        n, positives = len(data), int(data.y.sum())
        if parts is not None:
            n, positives = parts["rows"], parts["positives"]
        rows += [
            ["data", f"{data.name}, {n:,} rows, {positives:,} positive"],
            ["positive class", f"{settings.target or 'label'} is {data.positive}"],
        ]
    rows += [
        ["trained", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")],
    ]
    names = {"time": "time", "group": "group", "label_delay": "label delay", "window": "window"}
    rows += [[words, getattr(settings, n)] for n, words in names.items() if getattr(settings, n)]
    return markdown_table(["", ""], rows)


def _costs(settings, data):
    if isinstance(data, ClassData):
        cells = data.cost_matrix[0] if settings.cost_matrix is None else settings.cost_table().cells
        rows = [[c, *(f"`{x}`" for x in row)] for c, row in zip(data.classes, cells, strict=True)]
        return markdown_table(["true class", *data.actions], rows)
    shown = {name: cost or "one per row" for name, cost in settings.expressions(data).items()}
    return markdown_table(["outcome", "cost"], [[name, f"`{c}`"] for name, c in shown.items()])


def _money(run, learner, words):
    """The sentences of the comparison about this learner."""
    if run is None:
        return "Not compared with anything; run stakes compare and train with --from."
    report = json.loads((Path(run) / "report.json").read_text())
    part, plan = report["datasets"][0], report["plan"]
    found = next((f for f in part["learners"] if f["learner"] == learner), None)
    if found is None:
        return f"{learner} was not part of the comparison in {run}."
    repeats, amount = plan["repeats"], words.amount
    lines = [
        f"{repeats} repeat{'' if repeats == 1 else 's'} of {plan['folds']} folds, seed "
        f"{plan['random_state']}. {part.get('folds') or 'Folds were random.'}",
        f"Cost per 1,000 decisions: {amount(found['cost_per_1000'])} (95% interval "
        f"{' to '.join(map(amount, found['cost_interval']))}).",
        f"Saved per 1,000 decisions, compared with {words.say(part['today']['name'])}: "
        f"{amount(found['saves_per_1000'])} (95% interval "
        f"{' to '.join(map(amount, found['saves_interval']))}).",
        words.say(part["sentence"]),
    ]
    return "\n\n".join(lines)


def _versions():
    rows = [["stakes", __version__], ["Python", platform.python_version()]]
    for name in PACKAGES:
        try:
            rows.append([name, version(name)])
        except PackageNotFoundError:
            continue
    return markdown_table(["package", "version"], rows)
