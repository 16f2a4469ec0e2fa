"""Options about error bars."""

from stakes.cli._options import option

Error = option(
    list[str] | None,
    "Error bars: mass=mass_se for a column of standard errors, mass=mass_lo..mass_hi for an "
    'interval, "*=*_se" for all columns that have one; repeatable. Only learners that use error '
    "bars see them.",
    metavar="COLUMN=COLUMN",
)
Replicates = option(
    str | None,
    "Id column: rows with the same id are replicates of one example, which becomes one row of "
    "means with standard errors.",
    metavar="COLUMN",
)
MaxError = option(
    float,
    "For a model with error bars: review a decision if measurement errors may have flipped it "
    "with a probability above this.",
    min=0.0,
    max=1.0,
)
