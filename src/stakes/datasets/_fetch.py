"""Larger public sets whose rows carry amounts: the costs differ from row to row."""

import numpy as np
import polars as pl

from stakes.datasets._sources import Source, as_categories, is_positive, read_source
from stakes.tables import PricedData

_MONTHS = ("sep", "aug", "jul", "jun", "may", "apr")

BANK = Source(
    "bank_marketing",
    "bank_marketing.csv.gz",
    "y",
    45_211,
    ("bank-marketing", 1),
    tuple(
        "age job marital education default balance housing loan contact day month duration "
        "campaign pdays previous poutcome y".split()
    ),
)
DEFAULT = Source(
    "default_credit",
    "default_credit_clients.csv.gz",
    "default",
    30_000,
    ("default-of-credit-card-clients", 1),
    # the file that circulates with month names has them in reverse: UCI's PAY_0 is September
    (
        *("limit", "sex", "education", "marriage", "age"),
        *(f"{kind}_{month}" for kind in ("delay", "bill", "paid") for month in _MONTHS),
        "default",
    ),
)
TELCO = Source("telco_churn", "telco_churn.csv.gz", "Churn", 7_043, ("telco-customer-churn", 1))
CARD = Source("card_fraud", "creditcard_ulb_f32.npz", "Class", 284_807, ("creditcard", 1))
KDD98 = Source("kdd98", "kdd98_lrn_joined.csv.gz", "TARGET_B", 95_412)


def fetch_bank_marketing(*, call_cost=1.0, deposit_share=0.25, margin=0.0246, data_home=None):
    """Telephone marketing of a Portuguese bank: 45,211 calls, 5,289 deposits (positive).

    A call costs `call_cost`, whatever comes of it. A deposit that is missed loses the bank's
    margin on a share of the client's balance, but at least the price of a call, so that no
    mistake pays. The column `duration` is left out: it is known only after the call.

    Parameters
    ----------
    call_cost : float, default=1.0
        Price of a call (euro).
    deposit_share : float, default=0.25
        Share of the balance that is put down.
    margin : float, default=0.0246
        What the bank earns on it.
    data_home : path, default=None
        Directory with `bank_marketing.csv.gz`; None: `STAKES_DATA`, else OpenML.

    Returns
    -------
    PricedData
    """
    table = read_source(BANK, data_home)
    earned = margin * deposit_share * table["balance"].to_numpy().astype(np.float64)
    return PricedData(
        BANK.name,
        as_categories(table.drop("y", "duration")),
        is_positive(table["y"], "yes", "2"),
        fp_cost=float(call_cost),
        fn_cost=np.maximum(earned, call_cost),
        tp_cost=float(call_cost),
        positive="makes a deposit",
        description=(
            "Bank Marketing, S. Moro, P. Rita, P. Cortez, UCI, doi:10.24432/C5K306, CC BY 4.0. "
            f"Costs after Bahnsen et al. (2014): a call costs {call_cost:g}; a missed deposit "
            f"loses {margin:.2%} of {deposit_share:.0%} of the balance."
        ),
    )


def fetch_default_credit(*, loss_share=0.75, interest=0.15, data_home=None):
    """Card clients in Taiwan: 30,000 clients, 6,636 of whom default (positive).

    Missing a default loses `loss_share` of the credit limit. Turning a good client away loses
    `interest` on the limit.

    Parameters
    ----------
    loss_share : float, default=0.75
        Share of the limit that a default loses.
    interest : float, default=0.15
        Share of the limit that a good client brings; the default is a fifth of `loss_share`, the
        ratio that German credit's documentation asks for.
    data_home : path, default=None
        Directory with `default_credit_clients.csv.gz`; None: `STAKES_DATA`, else OpenML.

    Returns
    -------
    PricedData
    """
    table = read_source(DEFAULT, data_home)
    limit = table["limit"].to_numpy().astype(np.float64)
    return PricedData(
        DEFAULT.name,
        as_categories(table.drop("default")),
        is_positive(table["default"], "1"),
        fp_cost=interest * limit,
        fn_cost=loss_share * limit,
        positive="default",
        description=(
            "Default of Credit Card Clients, I-C. Yeh, UCI, doi:10.24432/C55S3H, CC BY 4.0. Costs "
            f"are an assumption: a default loses {loss_share:.0%} of the limit, a good client "
            f"turned away {interest:.0%}."
        ),
    )


def fetch_telco_churn(*, months_lost=12.0, months_offered=2.0, data_home=None):
    """Clients of a telephone company: 7,043 clients, 1,869 of whom leave (positive).

    An offer gives away some months' charges, whether it was needed or not, and keeps the client;
    a client who leaves without one loses a year's charges.

    Parameters
    ----------
    months_lost : float, default=12.0
        Monthly charges that leaving loses.
    months_offered : float, default=2.0
        Monthly charges that an offer gives away.
    data_home : path, default=None
        Directory with `telco_churn.csv.gz`; None: `STAKES_DATA`, else OpenML.

    Returns
    -------
    PricedData
    """
    table = read_source(TELCO, data_home)
    charge = table["MonthlyCharges"].to_numpy().astype(np.float64)
    total = pl.col("TotalCharges").cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    X = table.with_columns(total).drop("Churn", "customerID", strict=False)
    return PricedData(
        TELCO.name,
        as_categories(X),
        is_positive(table["Churn"], "Yes"),
        fp_cost=months_offered * charge,
        fn_cost=months_lost * charge,
        tp_cost=months_offered * charge,
        positive="leaves",
        description=(
            "Telco Customer Churn, IBM sample data. Costs are an assumption: leaving loses "
            f"{months_lost:g} monthly charges, an offer gives {months_offered:g} away."
        ),
    )


def fetch_card_fraud(*, review_cost=2.5, data_home=None):
    """Card payments of two days of 2013: 284,807 payments, 492 frauds (positive).

    Missing a fraud costs its amount, a false alarm costs a review.

    Parameters
    ----------
    review_cost : float, default=2.5
        What a false alarm costs (euro).
    data_home : path, default=None
        Directory with `creditcard_ulb_f32.npz`; None: `STAKES_DATA`, else OpenML.

    Returns
    -------
    PricedData
        X is float32, in the order of time: (Time,) V1 ... V28, Amount.
    """
    table = read_source(CARD, data_home)
    X = table.drop("Class")
    return PricedData(
        CARD.name,
        X.cast(pl.Float32).to_numpy(),
        is_positive(table["Class"], "1"),
        fp_cost=float(review_cost),
        fn_cost=table["Amount"].to_numpy().astype(np.float64),
        positive="fraud",
        description=(
            "Credit Card Fraud Detection, Worldline and ULB Machine Learning Group, DbCL 1.0. "
            f"A missed fraud costs its amount, a false alarm {review_cost:g}."
        ),
    )


def fetch_kdd98(*, mail_cost=0.68, gift="expected", data_home=None):
    """Mail to former donors (KDD Cup 1998, learning set): 95,412 people, 4,843 give (positive).

    A letter costs `mail_cost`; a donor who gets none loses the gift.

    Parameters
    ----------
    mail_cost : float, default=0.68
        Price of a letter (dollar).
    gift : {"expected", "actual"}, default="expected"
        "expected": every person's gift is the mean gift of the donors with the same code of the
        last gift's size (RFA_2A), known before mailing. "actual": the gift itself, zero where
        nothing was given. Such a price gives the answer away: use it to train and to count the
        money, never in `predict`.
    data_home : path, default=None
        Directory with `kdd98_lrn_joined.csv.gz`; None: `STAKES_DATA`. Not on OpenML.

    Returns
    -------
    PricedData
        38 of the 479 features; ZIP code and OSOURCE (thousands of values) are left out.
    """
    if gift not in ("expected", "actual"):
        raise ValueError(f"gift must be 'expected' or 'actual'. Got {gift!r} instead.")
    table = read_source(KDD98, data_home)
    y = is_positive(table["TARGET_B"], "1")
    given = pl.col("TARGET_D")
    mean_gift = given.filter(pl.col("TARGET_B") == 1).mean().over("RFA_2A")
    amount = table.select(mean_gift if gift == "expected" else given).to_series().to_numpy()
    X = table.drop("TARGET_B", "TARGET_D", "ZIP", "OSOURCE")
    return PricedData(
        KDD98.name,
        as_categories(X),
        y,
        fp_cost=float(mail_cost),
        fn_cost=np.maximum(amount, mail_cost),
        tp_cost=float(mail_cost),
        positive="gives",
        description=(
            "KDD Cup 1998 (Paralyzed Veterans of America), UCI KDD archive, research use. A "
            f"letter costs {mail_cost:g}; a missed donor loses the {gift} gift."
        ),
    )
