"""German credit: 1,000 loans with their amounts."""

from importlib.resources import files

import numpy as np
import polars as pl

from stakes.datasets._sources import as_categories
from stakes.tables import PricedData

_DESCRIPTION = (
    "Statlog (German Credit Data), H. Hofmann, UCI Machine Learning Repository, "
    "doi:10.24432/C5NC77, CC BY 4.0; codes replaced by words. Costs: a loan that goes bad loses "
    "{loss_share:.0%} of its amount (the CW-CVaR paper's figure); turning a good customer away "
    "loses the interest, {interest}."
)


def load_german_credit(*, loss_share=0.75, monthly_interest=0.006, flat_interest=None):
    r"""Load German credit: 1,000 loans, 20 features, 300 of them bad.

    The positive class is bad credit. Granting a bad loan (a false negative) costs
    `loss_share * amount`, since debtors repay a part. Turning away a good customer (a false
    positive) costs the interest lost: by default a flat monthly rate on the whole amount,

    .. math:: fp_i = monthly\_interest \cdot duration_i \cdot amount_i .

    At the default of 0.6 %, good customers pay 15 % of what they borrow: a fifth of `loss_share`,
    the ratio 1 : 5 recommended in the documentation of the data.

    Parameters
    ----------
    loss_share : float, default=0.75
        Share of the amount that a bad loan loses.
    monthly_interest : float, default=0.006
        Interest per month of the duration, as a share of the amount.
    flat_interest : float, default=None
        If given, `fp = flat_interest * amount` regardless of the duration; 0 is the setting of the
        CW-CVaR paper, where denying everyone costs nothing.

    Returns
    -------
    PricedData
        X is a polars frame with 7 numeric and 13 categorical (Enum) columns.

    Examples
    --------
    >>> print(load_german_credit().summary())
    1,000 examples, 300 positive (30.00%).
    Always negative costs 886,078.50; always positive costs 315,904.99.
    Say positive above a probability of 0.1259 (median; 0.0458 to 0.2775 in 90% of the examples).
    The top 1% of the examples hold 9.4% of the stakes.
    """
    table = pl.read_csv(files("stakes.datasets") / "data" / "german_credit.csv")
    amount = table["amount"].to_numpy().astype(np.float64)
    if flat_interest is None:
        fp_cost = monthly_interest * table["duration"].to_numpy() * amount
        interest = f"{monthly_interest:.1%} of the amount for each month of the duration"
    else:
        fp_cost, interest = flat_interest * amount, f"{flat_interest:.0%} of the amount"
    return PricedData(
        "german",
        as_categories(table.drop("credit")),
        (table["credit"] == "bad").to_numpy().astype(np.int64),
        fp_cost=fp_cost,
        fn_cost=loss_share * amount,
        positive="bad credit",
        description=_DESCRIPTION.format(loss_share=loss_share, interest=interest),
    )
