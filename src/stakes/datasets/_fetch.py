"""Public data sets with amounts: costs differ from row to row."""

from dataclasses import replace

import numpy as np
import polars as pl

from stakes.datasets._sources import (
    Source,
    as_categories,
    from_openml,
    is_positive,
    read_source,
)
from stakes.tables import PricedData, load_table

_MONTHS = ("sep", "aug", "jul", "jun", "may", "apr")

BANK = Source(
    "bank_marketing",
    "bank_marketing.csv.gz",
    "y",
    45_211,
    from_openml("bank-marketing", 1),
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
    from_openml("default-of-credit-card-clients", 1),
    # The widespread file with month names has them in reverse: UCI's PAY_0 is September.
    (
        *("limit", "sex", "education", "marriage", "age"),
        *(f"{kind}_{month}" for kind in ("delay", "bill", "paid") for month in _MONTHS),
        "default",
    ),
)
TELCO = Source(
    "telco_churn", "telco_churn.csv.gz", "Churn", 7_043, from_openml("telco-customer-churn", 1)
)
CARD = Source(
    "card_fraud", "creditcard_ulb_f32.npz", "Class", 284_807, from_openml("creditcard", 1)
)
PAYMENTS = Source("card_payments", "card_payments_simulated.parquet", "fraud", 426_715)
KDD98 = Source("kdd98", "kdd98_lrn_joined.csv.gz", "TARGET_B", 95_412)


@BANK.documented
def fetch_bank_marketing(*, call_cost=1.0, deposit_share=0.25, margin=0.0246, data_home=None):
    """Telephone marketing of a Portuguese bank: 45,211 calls, 5,289 deposits (positive).

    Every call costs `call_cost`. A missed deposit costs the bank's margin on a share of the
    customer's balance, but at least as much as a call, so that a mistake is never cheaper than the
    correct decision. The column `duration` is left out: it is known only after the call.

    Parameters
    ----------
    call_cost : float, default=1.0
        Cost of a call (euro).
    deposit_share : float, default=0.25
        Share of the balance that is deposited.
    margin : float, default=0.0246
        Margin of the bank on the deposit.
    [data_home]

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


@DEFAULT.documented
def fetch_default_credit(*, loss_share=0.75, interest=0.15, data_home=None):
    """Card customers in Taiwan: 30,000 customers, 6,636 of whom default (positive).

    A missed default costs `loss_share` of the credit limit, turning away a good customer costs
    `interest` on the limit.

    Parameters
    ----------
    loss_share : float, default=0.75
        Share of the limit that a default loses.
    interest : float, default=0.15
        Share of the limit that a good customer earns; the default is a fifth of `loss_share`, the
        ratio recommended in the documentation of German credit.
    [data_home]

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


@TELCO.documented
def fetch_telco_churn(*, months_lost=12.0, months_offered=2.0, data_home=None):
    """Customers of a telephone company: 7,043 customers, 1,869 of whom leave (positive).

    An offer costs some months' charges, whether it was needed or not, and keeps the customer; a
    customer who leaves costs a year's charges.

    Parameters
    ----------
    months_lost : float, default=12.0
        Monthly charges lost with a customer.
    months_offered : float, default=2.0
        Monthly charges given away in an offer.
    [data_home]

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


@CARD.documented
def fetch_card_fraud(*, review_cost=2.5, data_home=None):
    """Card payments of two days in 2013: 284,807 payments, 492 frauds (positive).

    A missed fraud costs its amount, a false alarm costs a review.

    Parameters
    ----------
    review_cost : float, default=2.5
        Cost of a false alarm (euro).
    [data_home]

    Returns
    -------
    PricedData
        X is float32, in order of time; columns (Time,) V1 ... V28, Amount.
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


@PAYMENTS.documented
def fetch_card_payments(*, review_cost=5.0, label_delay="7d", customers=None, data_home=None):
    """Simulated card payments of half a year: 426,715 payments, 3,608 frauds (positive).

    A missed fraud costs its amount, a false alarm a review. The rows have a time and a customer, so
    comparisons go forward in time and test on customers that the model has not seen.

    Parameters
    ----------
    review_cost : float, default=5.0
        Cost of a false alarm.
    label_delay : str or None, default="7d"
        How long it takes until a fraud is known.
    customers : int, default=None
        Number of customers to keep, those with the smallest numbers; None: all 1,250.
    [data_home]

    Returns
    -------
    PricedData
        With the amount and 14 features of the customer's and the terminal's history.
    """
    table = read_source(PAYMENTS, data_home)
    if customers is not None:
        kept = table["customer"].unique().sort().head(customers)
        table = table.filter(pl.col("customer").is_in(kept.implode()))
    data = load_table(
        table.drop("transaction", "terminal", "scenario"),
        "fraud",
        fp_cost=float(review_cost),
        fn_cost="amount",
        time="time",
        group="customer",
        label_delay=label_delay,
        name=PAYMENTS.name,
    )
    about = (
        "Simulated by the Fraud Detection Handbook (Y.-A. Le Borgne, W. Siblini, B. Lebichot, "
        "G. Bontempi), 2018-04-01 to 2018-09-30, a quarter of its customers. A missed fraud costs "
        f"its amount, a false alarm {review_cost:g}; labels come {label_delay} late."
    )
    return replace(data, positive="fraud", description=about)


@KDD98.documented
def fetch_kdd98(*, mail_cost=0.68, gift="expected", data_home=None):
    """Mailing to former donors (KDD Cup 1998): 95,412 people, 4,843 donate (positive).

    A letter costs `mail_cost`; a donor who gets no letter costs the gift.

    Parameters
    ----------
    mail_cost : float, default=0.68
        Cost of a letter (dollar).
    gift : {"expected", "actual"}, default="expected"
        "expected": mean gift of the donors whose last gift was of the same size (column RFA_2A),
        which is known before mailing. "actual": the gift itself, zero for non-donors. This cost
        reveals the label: use it for training and evaluation, never in `predict`.
    [data_home]

    Returns
    -------
    PricedData
        With 38 of the 479 features; ZIP code and OSOURCE (thousands of values) are left out.
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
