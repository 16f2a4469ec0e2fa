"""The public sets: costs as described, the local directory, OpenML, and no network at all."""

import gzip
from dataclasses import replace
from urllib.error import URLError

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.utils import Bunch

from stakes.datasets import (
    _sources,
    fetch_bank_marketing,
    fetch_card_fraud,
    fetch_default_credit,
    fetch_kdd98,
    fetch_kdd99,
    fetch_mammography,
    fetch_pima,
    fetch_sick,
    fetch_telco_churn,
)
from stakes.datasets._fetch_classes import KDD99
from stakes.datasets._sources import Source, from_openml, is_positive, read_source
from stakes.errors import InputError


@pytest.fixture
def offline(monkeypatch):
    """No local directory and no network."""

    def refuse(**_):
        raise URLError("no route to host")

    monkeypatch.delenv("STAKES_DATA", raising=False)
    monkeypatch.setattr(_sources, "fetch_openml", refuse)
    monkeypatch.setattr(_sources, "fetch_kddcup99", refuse)


def test_offline_names_the_way_out(offline):
    with pytest.raises(
        InputError, match=r"pima was not found .*the download failed \(URLError\): set STAKES_DATA"
    ):
        fetch_pima()
    with pytest.raises(InputError, match=r"kdd98 .* cannot be downloaded: set STAKES.*joined"):
        fetch_kdd98()
    with pytest.raises(InputError, match=r"kdd99 .*the download failed \(URLError\): set STAKES"):
        fetch_kdd99()


def test_a_directory_without_the_file_is_named(offline, tmp_path):
    with pytest.raises(InputError, match=f"not found in STAKES_DATA={tmp_path}"):
        fetch_pima(data_home=tmp_path)


def test_a_wrong_file_is_refused(offline, tmp_path):
    with gzip.open(tmp_path / "diabetes_pima.csv.gz", "wt") as file:
        file.write("a,target\n1,0\n")
    with pytest.raises(
        InputError, match=r"pima should have 768 rows .* has 1 rows and .* a, target"
    ):
        fetch_pima(data_home=tmp_path)


@pytest.mark.parametrize(
    ("fetch", "file"),
    [
        (fetch_pima, "diabetes_pima.csv.gz"),
        (fetch_kdd99, "kddcup.data_10_percent.gz"),
        (fetch_card_fraud, "creditcard_ulb_f32.npz"),
    ],
)
def test_a_damaged_file_is_named(offline, tmp_path, fetch, file):
    whole = gzip.compress(b"a,target\n" + b"1,0\n" * 99)
    (tmp_path / file).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=f"{file} cannot be read as .*: copy it again"):
        fetch(data_home=tmp_path)


def test_openml_answers_are_decoded(offline, monkeypatch):
    def answer(**asked):
        assert asked == dict(name="toy", version=3, as_frame=False, parser="liac-arff")
        return Bunch(
            data=np.array([[1.5, 0.0], [np.nan, 1.0], [2.0, np.nan]]),
            target=np.array(["no", "yes", "no"], dtype=object),
            feature_names=["x", "colour"],
            categories={"colour": ["red", "blue"]},
        )

    monkeypatch.setattr(_sources, "fetch_openml", answer)
    columns = ("size", "hue", "label")
    table = read_source(Source("toy", "toy.csv", "label", 3, from_openml("toy", 3), columns))
    assert table.columns == ["size", "hue", "label"]
    assert table["hue"].to_list() == ["red", "blue", None]
    assert table["label"].to_list() == ["no", "yes", "no"]


def test_labels_of_openml_are_understood():
    assert is_positive(pl.Series(["'-1'", "'1'", "1"]), "1").tolist() == [0, 1, 1]
    assert is_positive(pl.Series([1.0, 0.0]), "1").tolist() == [1, 0]


def test_costs_of_bank_marketing(shared_data):
    data = fetch_bank_marketing()
    assert "duration" not in data.X.columns
    earned = 0.25 * 0.0246 * data.X["balance"].to_numpy()
    np.testing.assert_allclose(data.fn_cost, np.maximum(earned, 1.0))
    assert data.fp_cost == data.tp_cost == 1.0


def test_months_of_default_credit_run_backwards(shared_data):
    X = fetch_default_credit().X
    # UCI's first client: PAY_0 (September) = 2, BILL_AMT1 (September) = 3913, PAY_AMT2 = 689
    assert (X["delay_sep"][0], X["bill_sep"][0], X["paid_aug"][0]) == (2, 3913, 689)


def test_missing_values_and_categories_reach_a_booster(shared_data):
    for data in (fetch_telco_churn(), fetch_sick(), fetch_mammography()):
        model = HistGradientBoostingClassifier(max_iter=5).fit(data.X, data.y)
        assert roc_auc_score(data.y, model.predict_proba(data.X)[:, 1]) > 0.8
    assert fetch_telco_churn().X["TotalCharges"].null_count() == 11


@pytest.mark.slow
def test_kdd98_gifts(shared_data):
    expected, actual = fetch_kdd98(), fetch_kdd98(gift="actual")
    donors = actual.y == 1
    assert actual.fn_cost[donors].sum() == pytest.approx(75_668.7)
    assert expected.fn_cost[donors].sum() == pytest.approx(75_668.7)
    codes = expected.X["RFA_2A"].to_numpy()
    for code in np.unique(codes):  # the price tells the code and not the label
        assert len(np.unique(expected.fn_cost[codes == code])) == 1
    with pytest.raises(ValueError, match=r"gift must be 'expected' or 'actual'. Got 'no'"):
        fetch_kdd98(gift="no")


def test_docstrings_name_the_file():
    assert "`diabetes_pima.csv.gz`; None: `STAKES_DATA`, else it is" in fetch_pima.__doc__
    assert "`kdd98_lrn_joined.csv.gz`; None: `STAKES_DATA`.\n" in fetch_kdd98.__doc__


def test_kdd99_is_decoded(offline, monkeypatch):
    def answer(**_):
        row = [0.0] + [b"tcp"] * 3 + [1.0] * 37
        data = np.array([row, row], dtype=object)
        return Bunch(data=data, target=np.array([b"normal.", b"smurf."], dtype=object))

    monkeypatch.setattr(_sources, "fetch_kddcup99", answer)
    with pytest.raises(InputError, match="the download has 2 rows and the columns duration"):
        fetch_kdd99()
    monkeypatch.setattr("stakes.datasets._fetch_classes.KDD99", replace(KDD99, rows=2))
    data = fetch_kdd99()
    assert data.y.tolist() == [0, 1]
    assert data.X["protocol_type"].to_list() == ["tcp", "tcp"] and data.X["count"][0] == 1.0
