"""A trained model under attack: the table that it decides about, and the page of the report."""

from dataclasses import replace

from stakes._core.model_file import load_model
from stakes.compare._table_settings import TableSettings
from stakes.compare.report import write_attack
from stakes.errors import InputError
from stakes.game import attack_report, read_moves
from stakes.tables import CostExpression, as_frame, cast_like


def attack_model(
    model,
    settings,
    moves,
    out,
    *,
    answers=True,
    case_seconds=5.0,
    time_budget=None,
    progress=None,
    random_state=0,
    command="",
):
    """Report what adversaries would do to a trained model, as a page in a folder.

    Parameters
    ----------
    model : str or Path
        A file of :func:`train_to_file`.
    settings : TableSettings
        The rows to attack; label, costs and missing values are those of training unless given.
    moves : str or Path
        TOML file of :func:`stakes.game.read_moves`.
    out : str or Path
        Folder of the page.
    answers : bool, default=True
        Whether to fit and attack the answers of the defender.
    case_seconds : float, default=5.0
        Time limit of each case against trees.
    time_budget, progress : float and callable, default=None
        As in :func:`stakes.game.attack_report`.
    random_state : int, default=0
        Seed of the folds of the answers.
    command : str, default=""
        Command that makes the page again.

    Returns
    -------
    (AttackReport, list of str, Path)
        The report, cautions about it, and the page.
    """
    adversaries = read_moves(moves)
    stored = load_model(model)
    facts = stored.facts
    if not {"kinds", "costs", "target"} <= facts.keys():
        raise InputError(f"{str(model)!r} was not made by stakes train; train it there.")
    if settings.is_file:
        costs = {name: cost for name, cost in facts["costs"].items() if cost is not None}
        trained = TableSettings(
            None, facts["target"], facts.get("positive"), costs, missing=facts.get("missing", [])
        )
        settings = settings.over(trained)
    data = settings.load()
    data = replace(data, X=cast_like(as_frame(data.X), facts["kinds"]))
    report = attack_report(
        stored.model,
        data.X,
        data.y,
        adversaries,
        **data.costs,
        answers=answers,
        case_seconds=case_seconds,
        time_budget=time_budget,
        progress=progress,
        random_state=random_state,
    )
    cautions = _cautions(settings, adversaries, data.X.columns)
    page = write_attack(report, out, title=data.name, cautions=cautions, command=command)
    return report, cautions, page


def _cautions(settings, adversaries, columns):
    """Which costs are computed from columns that move: they stay those before the move."""
    priced = {}
    for name, text in settings.costs.items():
        for column in CostExpression(text).columns:
            priced.setdefault(column, name)
    movable = {
        column
        for moves in adversaries
        for column in columns
        if column in moves.columns and not moves.columns[column].fixed
    }
    return [
        f"{priced[column]} depends on {column!r}, which can move; the costs of a case are those "
        "before its move."
        for column in sorted(movable & priced.keys())
    ]
