"""Options about error bars."""

from typing import Annotated

import typer

Error = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=COLUMN",
        help="Error bars: mass=mass_se for a column of standard errors, mass=mass_lo..mass_hi for "
        'an interval, "*=*_se" for all columns that have one; repeatable. Learners that use error '
        "bars see them; no other does.",
    ),
]
Replicates = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Id column: rows with the same id are replicates of one example, which becomes one "
        "row of means with standard errors.",
    ),
]
MaxError = Annotated[
    float,
    typer.Option(
        min=0.0,
        max=1.0,
        help="Of a model with error bars: a decision needs a review if the measurement error may "
        "have flipped it with a larger probability.",
    ),
]
