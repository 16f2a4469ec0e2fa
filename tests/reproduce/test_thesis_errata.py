"""Chapters 3 and 4 of the thesis: what its printed tables and statements say of themselves."""

import numpy as np
import pytest
from scipy.stats import rankdata

from stakes._core.jit.gain import hellinger
from stakes.datasets import make_fraud
from stakes.reproduce._pairs import friedman_of_two
from stakes.tree import ConfidenceTreeClassifier

# Table 3.9: ranks of C4.5 and CCP-C4.5 by leaves, 20 sets in the printed order
LEAVES_3_9 = {
    "C4.5": [2, 2, 3, 2, 3, 2, 1, 1, 3, 1, 2, 2, 1, 2, 2, 2, 1, 1, 1, 1],
    "CCP-C4.5": [3, 4, 1, 1, 4, 1, 4, 4, 4, 2, 4, 1, 4, 1, 3, 3, 2, 4, 2, 3],
    "CART": [1, 1, 2, 4, 2, 4, 3, 3, 1, 4, 1, 4, 2, 4, 1, 1, 4, 2, 4, 2],
    "CCP-CART": [4, 3, 4, 3, 1, 2, 2, 1, 2, 3, 3, 3, 3, 3, 3, 4, 2, 3, 3, 4],
}
AVERAGE_3_9 = {"C4.5": 1.71, "CCP-C4.5": 2.66, "CART": 2.42, "CCP-CART": 2.71}
# Table 3.6: AUCs of CCP-CART and CCP-C4.5, 19 sets
AUC_3_6 = np.array(
    [
        *((0.631, 0.613), (0.954, 0.951), (0.777, 0.755), (0.981, 0.980), (0.598, 0.595)),
        *((0.971, 0.969), (0.691, 0.719), (0.906, 0.887), (0.989, 0.989), (0.822, 0.824)),
        *((0.978, 0.973), (0.990, 0.989), (0.871, 0.868), (0.676, 0.688), (0.760, 0.755)),
        *((0.914, 0.917), (0.987, 0.988), (0.940, 0.953), (0.989, 0.984)),
    ]
)
# Table 4.2: ranks of CCW_MI, CCW_AI, SMOTE and WDkNN, 31 sets
RANKS_4_2 = np.array(
    [
        *((4, 1, 3, 5), (2, 1, 4, 8), (5, 6, 3, 10), (5, 6, 3, 10), (2, 3, 5, 9), (8, 9, 6, 10)),
        *((2, 4, 10, 1), (1, 2, 4, 8), (2, 1, 8, 3), (3, 2, 6, 1), (3, 8, 2, 1), (4, 8, 10, 3)),
        *((5, 6, 3, 8), (1, 4, 7, 8), (1, 4, 2, 8), (4, 8, 10, 3), (3, 3, 9, 7), (4, 3, 10, 9)),
        *((5, 1, 4, 9), (2, 1, 7, 3), (2, 1, 6, 10), (2, 3, 5, 1), (1, 4, 7, 8), (2, 4, 6, 1)),
        *((4, 5, 2, 1), (1, 2, 8, 7), (1, 2, 8, 4), (2, 5, 7, 1), (4, 2, 5, 1), (1, 2, 4, 6)),
        (2, 7, 4, 1),
    ]
)


@pytest.mark.parametrize("tree", LEAVES_3_9)
def test_average_ranks_count_one_more_set_of_rank_one(tree):
    """(sum + 1) / (n + 1), not sum / n; the printed ones are cut after two digits."""
    ranks = np.array(LEAVES_3_9[tree])
    assert len(ranks) == 20
    assert (ranks.sum() + 1) / 21 == pytest.approx(AVERAGE_3_9[tree], abs=0.01)
    assert abs(ranks.sum() / 20 - AVERAGE_3_9[tree]) > 0.02


def test_average_ranks_of_table_4_2_too():
    printed = [2.78, 3.71, 5.59, 5.18]
    found = (RANKS_4_2.sum(axis=0) + 1) / 32
    np.testing.assert_allclose(found, printed, atol=0.011)


def test_table_3_9_prints_0_055_for_0_025():
    more, fewer, p = friedman_of_two(LEAVES_3_9["CCP-C4.5"], LEAVES_3_9["C4.5"])
    assert (more, fewer) == (15, 5) and p == pytest.approx(0.0253, abs=1e-4)


def test_table_3_6_prints_0_3173_for_0_157():
    wins, losses, p = friedman_of_two(*AUC_3_6.T)
    assert (wins, losses) == (12, 6) and p == pytest.approx(0.157, abs=1e-3)
    assert friedman_of_two(np.arange(4) > 0, [0.5] * 4)[2] == pytest.approx(0.3173, abs=1e-4)


@pytest.mark.parametrize("base", [0, 1], ids=["CCW_MI", "CCW_AI"])
def test_table_4_2_exchanges_smote_and_wdknn(base):
    """By the printed ranks, p is 0.007 against SMOTE and 0.106 against WDkNN."""
    own, smote, wdknn = (RANKS_4_2[:, k] for k in (base, 2, 3))
    assert friedman_of_two(smote, own)[2] == pytest.approx(0.007, abs=5e-4)  # printed 0.106
    assert friedman_of_two(wdknn, own)[2] == pytest.approx(0.106, abs=5e-4)  # 0.002 and 0.007


def test_hellinger_is_not_constant_along_a_line_of_equal_differences():
    tpr = np.linspace(0.25, 1.0, 16)
    fpr = tpr - 0.25
    distance = [
        hellinger(100 * f, 100 * t, 100 * (1 - f), 100 * (1 - t))
        for t, f in zip(tpr, fpr, strict=True)
    ]
    assert max(distance) / min(distance) > 1.5
    assert rankdata(distance)[0] > rankdata(distance)[8]  # largest at the ends


@pytest.mark.jit
def test_not_every_path_of_a_pruned_tree_is_significant():
    data = make_fraud(20_000, random_state=0)
    model = ConfidenceTreeClassifier(p_value=0.01).fit(data.X, data.y)
    p = model.rules()["p_value"].to_numpy()
    assert len(p) > 10 and (p > 0.01).sum() > 0
