"""Public data sets without amounts: one cost for each kind of mistake."""

import numpy as np
import polars as pl

from stakes.datasets._sources import (
    Source,
    as_categories,
    from_kddcup99,
    from_openml,
    is_positive,
    read_source,
)
from stakes.tables import ClassData, PricedData

SPAMBASE = Source("spambase", "spambase.csv.gz", "target", 4_601, from_openml("spambase", 1))
MAMMOGRAPHY = Source(
    "mammography", "mammography.csv.gz", "target", 11_183, from_openml("mammography", 1)
)
PIMA = Source("pima", "diabetes_pima.csv.gz", "target", 768, from_openml("diabetes", 1))
SICK = Source("sick", "sick.csv.gz", "target", 3_772, from_openml("sick", 1))
OIL = Source("oil_spill", "oil_spill.csv.gz", "target", 937, from_openml("oil_spill", 1))
KDD99 = Source(
    "kdd99",
    "kddcup.data_10_percent.gz",
    "labels",
    494_021,
    from_kddcup99,
    columns=tuple(
        "duration protocol_type service flag src_bytes dst_bytes land wrong_fragment urgent hot "
        "num_failed_logins logged_in num_compromised root_shell su_attempted num_root "
        "num_file_creations num_shells num_access_files num_outbound_cmds is_host_login "
        "is_guest_login count srv_count serror_rate srv_serror_rate rerror_rate srv_rerror_rate "
        "same_srv_rate diff_srv_rate srv_diff_host_rate dst_host_count dst_host_srv_count "
        "dst_host_same_srv_rate dst_host_diff_srv_rate dst_host_same_src_port_rate "
        "dst_host_srv_diff_host_rate dst_host_serror_rate dst_host_srv_serror_rate "
        "dst_host_rerror_rate dst_host_srv_rerror_rate labels".split()
    ),
    header=False,
)


@SPAMBASE.documented
def fetch_spambase(*, fp_cost=9.0, fn_cost=1.0, data_home=None):
    """E-mails as word counts: 4,601 e-mails, 57 features, 1,813 spam (positive).

    Parameters
    ----------
    fp_cost : float, default=9.0
        Cost of losing a good e-mail; the default is common in the literature.
    fn_cost : float, default=1.0
        Cost of reading a spam e-mail.
    [data_home]

    Returns
    -------
    PricedData
    """
    about = (
        "Spambase, M. Hopkins et al., UCI, doi:10.24432/C53G6X, CC BY 4.0. Costs are an "
        "assumption: losing a good mail costs {fp:g}, reading spam {fn:g}."
    )
    return _binary(SPAMBASE, ("1",), "spam", about, fp_cost, fn_cost, data_home)


@MAMMOGRAPHY.documented
def fetch_mammography(*, fp_cost=1.0, fn_cost=20.0, data_home=None):
    """Spots in mammograms: 11,183 spots, 6 features, 260 microcalcifications (positive).

    Parameters
    ----------
    fp_cost : float, default=1.0
        Cost of an unnecessary second look.
    fn_cost : float, default=20.0
        Cost of a missed microcalcification.
    [data_home]

    Returns
    -------
    PricedData
    """
    about = (
        "Mammography, K. Woods et al. (1993). Costs are an assumption: a missed case costs {fn:g}, "
        "a needless look {fp:g}."
    )
    return _binary(MAMMOGRAPHY, ("1",), "calcification", about, fp_cost, fn_cost, data_home)


@PIMA.documented
def fetch_pima(*, fp_cost=1.0, fn_cost=5.0, data_home=None):
    """Diabetes among Pima women: 768 women, 8 features, 268 cases (positive).

    Parameters
    ----------
    fp_cost : float, default=1.0
        Cost of an unnecessary test.
    fn_cost : float, default=5.0
        Cost of a missed case.
    [data_home]

    Returns
    -------
    PricedData
    """
    about = (
        "Pima Indians Diabetes, National Institute of Diabetes and Digestive and Kidney Diseases. "
        "Costs are an assumption: a missed case costs {fn:g}, a needless test {fp:g}."
    )
    positive = ("1", "tested_positive")
    return _binary(PIMA, positive, "diabetes", about, fp_cost, fn_cost, data_home)


@SICK.documented
def fetch_sick(*, fp_cost=1.0, fn_cost=10.0, data_home=None):
    """Thyroid disease: 3,772 patients, 28 features with missing values, 231 sick (positive).

    The column TBG, which is empty, is left out.

    Parameters
    ----------
    fp_cost : float, default=1.0
        Cost of an unnecessary test.
    fn_cost : float, default=10.0
        Cost of a missed case.
    [data_home]

    Returns
    -------
    PricedData
    """
    about = (
        "Thyroid Disease (sick), R. Quinlan, UCI, doi:10.24432/C5D010, CC BY 4.0. Costs are an "
        "assumption: a missed case costs {fn:g}, a needless test {fp:g}."
    )
    return _binary(SICK, ("sick",), "sick", about, fp_cost, fn_cost, data_home)


@OIL.documented
def fetch_oil_spill(*, fp_cost=1.0, fn_cost=20.0, data_home=None):
    """Dark regions in radar images of the sea: 937 regions, 49 features, 41 spills (positive).

    Parameters
    ----------
    fp_cost : float, default=1.0
        Cost of an unnecessary flight.
    fn_cost : float, default=20.0
        Cost of a missed spill.
    [data_home]

    Returns
    -------
    PricedData
    """
    about = (
        "Oil spills, M. Kubat, R. Holte, S. Matwin (1998). Costs are an assumption: a missed spill "
        "costs {fn:g}, a needless flight {fp:g}."
    )
    return _binary(OIL, ("1",), "oil spill", about, fp_cost, fn_cost, data_home)


@KDD99.documented
def fetch_kdd99(*, fp_cost=2.0, fn_cost=2.0, data_home=None):
    """Network connections (KDD Cup 1999, 10 %): 494,021 connections, 396,743 attacks (positive).

    Parameters
    ----------
    fp_cost, fn_cost : float, default=2.0
        Costs of a false alarm and of a missed attack. In the contest's cost table, a normal
        connection taken for an attack costs 2 (1 for a probe), and so does a missed denial of
        service, by far the most frequent attack.
    [data_home]

    Returns
    -------
    PricedData
    """
    table = read_source(KDD99, data_home)
    about = (
        "KDD Cup 1999, UCI, doi:10.24432/C51C7N, CC BY 4.0, 10 % subset. Costs from the contest's "
        "table: {fp:g} for a false alarm, {fn:g} for a missed attack."
    )
    y = 1 - is_positive(table["labels"], "normal.")
    return _priced(KDD99, table, y, "attack", about, fp_cost, fn_cost)


KDD99_CLASSES = ("normal", "probe", "dos", "u2r", "r2l")
KDD99_COSTS = ((0, 1, 2, 2, 2), (1, 0, 2, 2, 2), (2, 1, 0, 2, 2), (3, 2, 2, 0, 2), (4, 2, 2, 2, 0))
_KDD99_ATTACKS = {
    "probe": "ipsweep nmap portsweep satan",
    "dos": "back land neptune pod smurf teardrop",
    "u2r": "buffer_overflow loadmodule perl rootkit",
    "r2l": "ftp_write guess_passwd imap multihop phf spy warezclient warezmaster",
}


@KDD99.documented
def fetch_kdd99_attacks(*, cost_matrix=KDD99_COSTS, data_home=None):
    """Network connections (KDD Cup 1999, 10 %) in five classes: 494,021 connections, 41 features.

    The classes are normal, probe, denial of service (dos), user to root (u2r) and remote to local
    (r2l).

    Parameters
    ----------
    cost_matrix : array-like of shape (5, 5), default=KDD99_COSTS
        Costs, row: true class, column: decision; the default is the contest's published table.
    [data_home]

    Returns
    -------
    ClassData
    """
    table = read_source(KDD99, data_home)
    codes = {"normal.": 0}
    for code, name in enumerate(KDD99_CLASSES[1:], start=1):
        codes |= {f"{attack}.": code for attack in _KDD99_ATTACKS[name].split()}
    y = table["labels"].cast(pl.String).replace_strict(codes, return_dtype=pl.Int64).to_numpy()
    return ClassData(
        "kdd99_attacks",
        as_categories(table.drop("labels")),
        y,
        positive="",
        description="KDD Cup 1999, UCI, doi:10.24432/C51C7N, CC BY 4.0, 10 % subset. Costs: the "
        "contest's table.",
        classes=KDD99_CLASSES,
        actions=KDD99_CLASSES,
        cost_matrix=np.asarray(cost_matrix, dtype=np.float64),
    )


def _binary(source, positive, meaning, about, fp_cost, fn_cost, data_home):
    table = read_source(source, data_home)
    y = is_positive(table[source.target], *positive)
    return _priced(source, table, y, meaning, about, fp_cost, fn_cost)


def _priced(source, table, y, meaning, about, fp_cost, fn_cost):
    return PricedData(
        source.name,
        as_categories(table.drop(source.target)),
        y,
        fp_cost=float(fp_cost),
        fn_cost=float(fn_cost),
        positive=meaning,
        description=about.format(fp=fp_cost, fn=fn_cost),
    )
