"""Tables that compare our numbers with a paper's, and a verdict on each of its claims."""

import json
import math
from dataclasses import asdict, dataclass, field

VERDICTS = ("reproduced", "partly reproduced", "not reproduced", "cannot be checked")


@dataclass
class Cell:
    """Our value and the paper's value of one table cell.

    Parameters
    ----------
    row, column : str
        Position in the table.
    ours : float or None
        Our value; None if the method or the data are not available.
    ours_sd : float or None, default=None
        Standard deviation of our value over the repeats, or what the note of the table says.
    paper : float or None, default=None
        The paper's value.
    paper_sd : float or None, default=None
        Standard deviation of the paper's value.
    repeats : tuple of int or None, default=None
        Number of repeats behind our value and behind the paper's. If given, both are shown with
        their standard errors, and their difference is measured in standard errors as well.

    Examples
    --------
    >>> print(Cell("PA-I", "sum", 59.0, 1.0, paper=59.8, paper_sd=0.9, repeats=(20, 20)))
    59 ± 0.22 (paper 59.8 ± 0.2, -2.7 se)
    """

    row: str
    column: str
    ours: float | None
    ours_sd: float | None = None
    paper: float | None = None
    paper_sd: float | None = None
    repeats: tuple[int, int] | None = None

    @property
    def deviations(self):
        """Difference from the paper's value, in its standard error or the paper's deviations."""
        if self.ours is None or self.paper is None or not self.paper_sd:
            return None
        ours, paper = self._spreads
        if self.repeats is None:
            return (self.ours - self.paper) / paper
        return None if ours is None else (self.ours - self.paper) / math.hypot(ours, paper)

    @property
    def _spreads(self):
        """What is shown after our value and after the paper's: standard error or deviation."""
        both = self.ours_sd, self.paper_sd
        if self.repeats is None:
            return both
        pairs = zip(both, self.repeats, strict=True)
        return [None if sd is None else sd / math.sqrt(n) for sd, n in pairs]

    def __str__(self):
        spreads = self._spreads
        ours = "-" if self.ours is None else _number(self.ours, spreads[0])
        if self.paper is None:
            return ours
        text = f"{ours} (paper {_number(self.paper, spreads[1])}"
        if self.deviations is not None:
            text += f", {self.deviations:+.1f} {'sd' if self.repeats is None else 'se'}"
        return text + ")"


@dataclass
class Table:
    """One table or figure of a paper, as a list of cells.

    Examples
    --------
    >>> table = Table("Table 2, german", [Cell("PA-I", "sum", 59.0, 1.0, paper=59.8, paper_sd=0.9)])
    >>> print(table.to_markdown())
    ### Table 2, german
    <BLANKLINE>
    | | sum |
    | --- | --- |
    | PA-I | 59 ± 1 (paper 59.8 ± 0.9, -0.9 sd) |
    """

    title: str
    cells: list[Cell] = field(default_factory=list)
    note: str = ""

    def to_markdown(self):
        """Markdown table: our value first, the paper's in parentheses."""
        rows = list(dict.fromkeys(cell.row for cell in self.cells))
        columns = list(dict.fromkeys(cell.column for cell in self.cells))
        text = {(cell.row, cell.column): str(cell) for cell in self.cells}
        lines = [f"### {self.title}", "", "| | " + " | ".join(columns) + " |"]
        lines.append("| --- |" + " --- |" * len(columns))
        for row in rows:
            lines.append(f"| {row} | " + " | ".join(text.get((row, c), "") for c in columns) + " |")
        if self.note:
            lines += ["", self.note]
        return "\n".join(lines)


@dataclass
class Claim:
    """A claim of the paper, our verdict on it, and the evidence."""

    text: str
    verdict: str
    evidence: str

    def __post_init__(self):
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict must be one of {VERDICTS}. Got {self.verdict!r} instead.")


def verdict_of(held):
    """Verdict on a claim that held in all, some or none of the cases.

    Examples
    --------
    >>> verdict_of([True, False])
    'partly reproduced'
    """
    held = list(held)
    if all(held):
        return "reproduced"
    return "partly reproduced" if any(held) else "not reproduced"


@dataclass
class Reproduction:
    """The re-run of a paper: tables, verdicts on claims, and the command that made it.

    `figures` has a caption for each file of the package's `_figures.PLOTS`.
    """

    name: str
    paper: str
    command: str
    tables: list[Table] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    figures: dict[str, str] = field(default_factory=dict)

    def to_markdown(self, *, pictures=True):
        """Markdown page for the docs, or without pictures for the terminal."""
        parts = [f"# {self.paper}", f"Made by `{self.command}`."]
        if self.claims:
            lines = ["## Claims", "", "| claim | verdict | evidence |", "| --- | --- | --- |"]
            lines += [f"| {c.text.rstrip('.')} | {c.verdict} | {c.evidence} |" for c in self.claims]
            parts.append("\n".join(lines))
        if self.figures and pictures:
            parts.append("## Figures")
            for file, caption in self.figures.items():
                parts.append(f"{caption}\n\n![{caption}](figures/{file})")
        parts.append("## Tables")
        parts += [table.to_markdown() for table in self.tables]
        return "\n\n".join(parts) + "\n"

    def to_json(self):
        """JSON text of all cells and claims, for storage and plotting."""
        return json.dumps(asdict(self), indent=1) + "\n"


def _number(value, deviation):
    text = f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    if deviation is None:
        return text
    return f"{text} ± {deviation:.2g}" if deviation < 100 else f"{text} ± {deviation:,.0f}"
