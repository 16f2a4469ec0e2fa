"""Verdicts on the claims of Sections 4 and 8 of the CS-SVM paper."""

import itertools

import numpy as np

from stakes.compare import mean_over_folds
from stakes.reproduce._result import Claim
from stakes.reproduce.cs_svm._runs import mean_and_error
from stakes.svm import BiasedPenaltySVC, CostSensitiveSVC, check_consistency, cs_hinge_loss


def claims_of(results):
    """The claims on the loss and on Tables 2 to 6."""
    pairs = [
        (name, measure, found[measure])
        for name, found in results.items()
        for measure in ("risk", "TP", "TN")
        if measure in found
    ]
    areas = [pair for pair in pairs if pair[1] != "risk"]
    risks = [pair for pair in pairs if pair[1] == "risk"]
    claims = [_consistency_claim()]
    if risks:
        claims.append(_risk_claim(risks, results))
    if areas:
        claims += [_paper_protocol_claim(areas), _honest_claim(areas), _reduction_claim(results)]
    return claims


def _risk_claim(risks, results):
    gains = {
        name: mean_over_folds(f["BP-SVM"]["folds"] - f["CS-SVM"]["folds"], f["test_to_train"])
        for name, _, f in risks
    }
    text = "; ".join(
        f"{name}: BM {f['BM-SVM']['honest']:.3f}, BP {f['BP-SVM']['honest']:.3f}, CS "
        f"{f['CS-SVM']['honest']:.3f} (gain {gains[name][0]:+.3f}, standard error "
        f"{gains[name][1]:.3f}), constant {results[name]['constant']:.3f}"
        for name, _, f in risks
    )
    wins = sum(gain > 2 * error for gain, error in gains.values())
    verdict = "reproduced" if wins == len(risks) else "partly reproduced"
    return Claim(
        "With known costs CS-SVM has a lower risk than BP-SVM on all three sets (Table 2).",
        verdict if wins else "not reproduced",
        f"lower by more than two standard errors on {wins} of {len(risks)}, points chosen on other "
        f"folds: {text}; the paper prints 0.25 for CS-SVM on German and 0.09 on Heart, without "
        "error bars",
    )


def _paper_protocol_claim(areas):
    gains = np.array([f["BP-SVM"]["value"] - f["CS-SVM"]["value"] for _, _, f in areas])
    better, worse = int(np.sum(gains > 1e-9)), int(np.sum(gains < -1e-9))
    small = sum(len(f["CS-SVM"]["folds"]) > 1 for _, _, f in areas)
    mean, error = mean_and_error(gains)
    if mean <= 2 * error:
        verdict = "not reproduced"
    else:
        verdict = "reproduced" if better >= 0.9 * len(gains) else "partly reproduced"
    return Claim(
        "CS-SVM has a better partial area than BP-SVM in nearly all experiments (Tables 3 to 6).",
        verdict,
        f"with the paper's protocol better in {better}, equal in {len(gains) - better - worse}, "
        f"worse in {worse} of {len(gains)}, mean gain {mean:+.4f} with standard error "
        f"{error:.4f}; in the {small} cross-validated ones it cannot be worse, since its grid "
        "contains BP-SVM's (kappa = 1) and the best point is reported on the folds that chose it",
    )


def _honest_claim(areas):
    gains = np.array([f["BP-SVM"]["honest"] - f["CS-SVM"]["honest"] for _, _, f in areas])
    mean, error = mean_and_error(gains)
    better, worse = int(np.sum(gains > 1e-9)), int(np.sum(gains < -1e-9))
    return Claim(
        "The advantage over BP-SVM remains when the point is selected on other data.",
        "reproduced" if mean > 2 * error else "not reproduced",
        f"better in {better}, worse in {worse} of {len(gains)}; mean gain {mean:+.4f} with "
        f"standard error {error:.4f}",
    )


def _reduction_claim(results):
    error = max(found["reduction"] for found in results.values())
    biased, asymmetric = two_point_boundaries()
    return Claim(
        "CS-SVM finds classifiers that BP-SVM cannot.",
        "partly reproduced",
        "every CS-SVM(C, C1, kappa) is the BP-SVM with C' = 2C/(1 + kappa), weights C1, 1/kappa, "
        f"and a boundary shifted by (1 - kappa)/2: scores solved both ways differ by at most "
        f"{error:.1e} (solver tolerance 1e-3) on {len(results)} sets, so the ROC curves are those "
        "of BP-SVM and over the same grid there is no advantage in Tables 3 to 6. But the shift is "
        "not within BP-SVM's reach: between points at -1 and +1 its boundary is within "
        f"{np.abs(biased).max():.1e} of zero for {len(biased)} settings of C and C1, and that of "
        f"CS-SVM with kappa = 0.25 is {asymmetric:.2f}",
    )


def two_point_boundaries():
    """Where BP-SVMs and a CS-SVM cut the line between a point at -1 and one at +1.

    Examples
    --------
    >>> biased, asymmetric = two_point_boundaries()
    >>> bool(np.abs(biased).max() < 1e-3), round(asymmetric, 3)
    (True, -0.6)
    """
    X, y = np.array([[-1.0], [1.0]]), np.array([0, 1])
    options = dict(kernel="linear", calibration=None, tol=1e-6)

    def boundary(model):
        left, right = model.fit(X, y).decision_function(X)
        return float(-1 - 2 * left / (right - left))

    biased = [
        boundary(BiasedPenaltySVC(C=C, fn_cost=C1, **options))
        for C, C1 in itertools.product((1.0, 10.0, 100.0), (1.0, 4.0, 16.0))
    ]
    asymmetric = CostSensitiveSVC(C=10.0, kappa=0.25, slope="paper", fn_cost=4.0, **options)
    return np.array(biased), boundary(asymmetric)


def _consistency_claim():
    report = check_consistency(cs_hinge_loss(fp_cost=2.0, fn_cost=4.0))
    fixed = check_consistency(cs_hinge_loss(fp_cost=2.0, fn_cost=4.0, slope="consistent"))
    return Claim(
        "The CS hinge implements the cost-sensitive Bayes decision (Section 4).",
        "not reproduced" if not report.consistent else "reproduced",
        f"for C1 = 4, C_-1 = 2 its minimiser decides at {report.threshold:.4f}, the Bayes rule at "
        f"{report.loss.bayes_threshold:.4f}; with the slope C_-1 instead of 1/kappa at "
        f"{fixed.threshold:.4f}",
    )
