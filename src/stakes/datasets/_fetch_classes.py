"""Larger public sets without amounts: one price for each kind of mistake."""

import numpy as np
import polars as pl
from sklearn.datasets import fetch_kddcup99

from stakes.datasets._sources import (
    Source,
    as_categories,
    is_positive,
    local_file,
    not_found,
    read_source,
)
from stakes.errors import InputError
from stakes.tables import PricedData

SPAMBASE = Source("spambase", "spambase.csv.gz", "target", 4_601, ("spambase", 1))
MAMMOGRAPHY = Source("mammography", "mammography.csv.gz", "target", 11_183, ("mammography", 1))
PIMA = Source("pima", "diabetes_pima.csv.gz", "target", 768, ("diabetes", 1))
SICK = Source("sick", "sick.csv.gz", "target", 3_772, ("sick", 1))
OIL = Source("oil_spill", "oil_spill.csv.gz", "target", 937, ("oil_spill", 1))
KDD99 = Source(
    "kdd99",
    "kddcup.data_10_percent.gz",
    "labels",
    494_021,
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


def fetch_spambase(*, fp_cost=9.0, fn_cost=1.0, data_home=None):
    """E-mails as word counts: 4,601 mails, 57 features, 1,813 of them spam (positive).

    Parameters
    ----------
    fp_cost : float, default=9.0
        What a good mail that is lost costs: the usual nine spam mails read.
    fn_cost : float, default=1.0
        What a spam mail read costs.
    data_home : path, default=None
        Directory with `spambase.csv.gz`; None: `STAKES_DATA`, else OpenML.

    Returns
    -------
    PricedData
    """
    about = (
        "Spambase, M. Hopkins et al., UCI, doi:10.24432/C53G6X, CC BY 4.0. Costs are an "
        "assumption: losing a good mail costs {fp:g}, reading spam {fn:g}."
    )
    return _priced(SPAMBASE, ("1",), "spam", about, fp_cost, fn_cost, data_home)


def fetch_mammography(*, fp_cost=1.0, fn_cost=20.0, data_home=None):
    """Spots in mammograms: 11,183 spots, 6 features, 260 microcalcifications (positive).

    Parameters
    ----------
    fp_cost : float, default=1.0
        What a needless second look costs.
    fn_cost : float, default=20.0
        What a missed microcalcification costs.
    data_home : path, default=None
        Directory with `mammography.csv.gz`; None: `STAKES_DATA`, else OpenML.

    Returns
    -------
    PricedData
    """
    about = (
        "Mammography, K. Woods et al. (1993). Costs are an assumption: a missed case costs {fn:g}, "
        "a needless look {fp:g}."
    )
    return _priced(MAMMOGRAPHY, ("1",), "calcification", about, fp_cost, fn_cost, data_home)


def fetch_pima(*, fp_cost=1.0, fn_cost=5.0, data_home=None):
    """Diabetes among Pima women: 768 women, 8 features, 268 ill (positive).

    Parameters
    ----------
    fp_cost : float, default=1.0
        What a needless test costs.
    fn_cost : float, default=5.0
        What a missed case costs.
    data_home : path, default=None
        Directory with `diabetes_pima.csv.gz`; None: `STAKES_DATA`, else OpenML.

    Returns
    -------
    PricedData
    """
    about = (
        "Pima Indians Diabetes, National Institute of Diabetes and Digestive and Kidney Diseases. "
        "Costs are an assumption: a missed case costs {fn:g}, a needless test {fp:g}."
    )
    positive = ("1", "tested_positive")
    return _priced(PIMA, positive, "diabetes", about, fp_cost, fn_cost, data_home)


def fetch_sick(*, fp_cost=1.0, fn_cost=10.0, data_home=None):
    """Thyroid disease: 3,772 patients, 28 features with gaps, 231 sick (positive).

    The column TBG, which has no value at all, is left out.

    Parameters
    ----------
    fp_cost : float, default=1.0
        What a needless test costs.
    fn_cost : float, default=10.0
        What a missed case costs.
    data_home : path, default=None
        Directory with `sick.csv.gz`; None: `STAKES_DATA`, else OpenML.

    Returns
    -------
    PricedData
    """
    about = (
        "Thyroid Disease (sick), R. Quinlan, UCI, doi:10.24432/C5D010, CC BY 4.0. Costs are an "
        "assumption: a missed case costs {fn:g}, a needless test {fp:g}."
    )
    return _priced(SICK, ("sick",), "sick", about, fp_cost, fn_cost, data_home)


def fetch_oil_spill(*, fp_cost=1.0, fn_cost=20.0, data_home=None):
    """Dark regions in radar images of the sea: 937 regions, 49 features, 41 spills (positive).

    Parameters
    ----------
    fp_cost : float, default=1.0
        What a needless flight costs.
    fn_cost : float, default=20.0
        What a missed spill costs.
    data_home : path, default=None
        Directory with `oil_spill.csv.gz`; None: `STAKES_DATA`, else OpenML.

    Returns
    -------
    PricedData
    """
    about = (
        "Oil spills, M. Kubat, R. Holte, S. Matwin (1998). Costs are an assumption: a missed spill "
        "costs {fn:g}, a needless flight {fp:g}."
    )
    return _priced(OIL, ("1",), "oil spill", about, fp_cost, fn_cost, data_home)


def fetch_kdd99(*, fp_cost=2.0, fn_cost=2.0, data_home=None):
    """Network connections (KDD Cup 1999, 10 %): 494,021 of them, 396,743 attacks (positive).

    Parameters
    ----------
    fp_cost, fn_cost : float, default=2.0
        The contest's table: calling a normal connection an attack costs 2 (1 for a probe), calling
        a denial of service, by far the most frequent attack, normal costs 2.
    data_home : path, default=None
        Directory with `kddcup.data_10_percent.gz`; None: `STAKES_DATA`, else scikit-learn's
        `fetch_kddcup99`.

    Returns
    -------
    PricedData
    """
    here = local_file(KDD99, data_home) is not None
    table = read_source(KDD99, data_home) if here else _kddcup99(data_home)
    y = 1 - is_positive(table["labels"], "normal.")
    return PricedData(
        KDD99.name,
        as_categories(table.drop("labels")),
        y,
        fp_cost=float(fp_cost),
        fn_cost=float(fn_cost),
        positive="attack",
        description=(
            "KDD Cup 1999, UCI, doi:10.24432/C51C7N, CC BY 4.0, 10 % subset. Costs from the "
            f"contest's table: {fp_cost:g} for a false alarm, {fn_cost:g} for a missed attack."
        ),
    )


def _kddcup99(data_home):
    try:
        bunch = fetch_kddcup99(percent10=True)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{not_found(KDD99, data_home)}, and cannot be downloaded ({type(error).__name__}): "
            f"set STAKES_DATA to a directory that holds {KDD99.file}, or connect once."
        ) from error
    columns = {}
    arrays = np.column_stack([bunch.data, bunch.target]).T
    for name, column in zip(KDD99.columns, arrays, strict=True):
        text = isinstance(column[0], bytes)
        columns[name] = [value.decode() for value in column] if text else column.astype(float)
    return pl.DataFrame(columns)


def _priced(source, positive, meaning, about, fp_cost, fn_cost, data_home):
    table = read_source(source, data_home)
    return PricedData(
        source.name,
        as_categories(table.drop(source.target)),
        is_positive(table[source.target], *positive),
        fp_cost=float(fp_cost),
        fn_cost=float(fn_cost),
        positive=meaning,
        description=about.format(fp=fp_cost, fn=fn_cost),
    )
