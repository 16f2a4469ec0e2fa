"""Correction of probabilities for class shares that differ from those in training."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import column_or_1d

from stakes._core.stored.plain import Damaged


def shift_prior(probabilities, training_prior, prior):
    r"""Correct class probabilities for a change of the class shares after training.

    If the class shares change but the distribution within each class does not, Bayes' rule gives

    .. math:: p'_k \propto p_k\, \frac{\pi'_k}{\pi_k} ,

    with :math:`\pi` the shares in the training data (after weighting or resampling) and
    :math:`\pi'` those in use. For two classes this is Theorem 2 of [1]_.

    Parameters
    ----------
    probabilities : array-like of shape (n, k)
        Probabilities from the model.
    training_prior, prior : float or array-like of shape (k,)
        Class shares; for two classes, the share of the positive class suffices.

    Returns
    -------
    ndarray of shape (n, k)
        Rows that sum to one.

    References
    ----------
    .. [1] C. Elkan. "The Foundations of Cost-Sensitive Learning". IJCAI 2001.

    Examples
    --------
    A model trained on balanced data predicts 0.5; in use, one case in fifty is positive.

    >>> shift_prior([[0.5, 0.5]], training_prior=0.5, prior=0.02)
    array([[0.98, 0.02]])
    """
    p = _one_column_per_class(probabilities)
    old = as_prior("training_prior", training_prior, p.shape[1])
    new = as_prior("prior", prior, p.shape[1])
    shifted = p * (new / old)
    total = shifted.sum(axis=1, keepdims=True)
    # a row whose mass lies on classes that the new prior excludes gets the prior itself
    return np.where(total > 0, shifted / np.where(total > 0, total, 1.0), new)


def estimate_prior(probabilities, training_prior, *, tol=1e-8, max_iter=10_000):
    r"""Estimate the current class shares from unlabeled cases, by maximum likelihood.

    EM algorithm [1]_: correct the probabilities with the current shares, take their mean as the
    new shares, repeat. Each iteration increases the likelihood
    :math:`\sum_i \log \sum_k p_{ik}\, \pi'_k / \pi_k`, which is concave in :math:`\pi'`.

    Parameters
    ----------
    probabilities : array-like of shape (n, k)
        Probabilities of the unlabeled cases from a calibrated model.
    training_prior : float or array-like of shape (k,)
        Class shares in the training data of the model.
    tol : float, default=1e-8
        Stop when no share changes by more.
    max_iter : int, default=10000
        Maximum number of iterations.

    Returns
    -------
    ndarray of shape (k,)
        Estimated shares, for `prior` of `BayesDecisionClassifier`.

    References
    ----------
    .. [1] M. Saerens, P. Latinne, C. Decaestecker. "Adjusting the Outputs of a Classifier to New a
       Priori Probabilities". Neural Computation 14, 2002.

    Examples
    --------
    >>> said = np.repeat([[0.9, 0.1], [0.1, 0.9]], [80, 20], axis=0)
    >>> estimate_prior(said, training_prior=0.5).round(3)
    array([0.875, 0.125])
    """
    p = _one_column_per_class(probabilities)
    old = as_prior("training_prior", training_prior, p.shape[1])
    prior = old
    for _ in range(max_iter):
        last, prior = prior, shift_prior(p, old, prior).mean(axis=0)
        if np.abs(prior - last).max() <= tol:
            return prior
    warnings.warn(
        f"estimate_prior did not converge in {max_iter} iterations; raise max_iter or tol.",
        ConvergenceWarning,
        stacklevel=2,
    )
    return prior


def _one_column_per_class(probabilities):
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim != 2:
        raise ValueError(
            f"probabilities must have one column per class. Got shape {p.shape} instead; for the "
            "probability p of the positive class, pass np.column_stack([1 - p, p])."
        )
    return p


def as_prior(name, value, n_classes):
    """Check class shares; a single number is the share of the positive class of two."""
    share = np.asarray(value, dtype=np.float64)
    if share.ndim == 0 and n_classes == 2:
        share = np.array([1.0 - share, share])
    if share.shape != (n_classes,):
        raise ValueError(
            f"{name} must have one share for each of the {n_classes} classes (or be a number if "
            f"there are two). Got shape {share.shape} instead."
        )
    lowest = np.nextafter(0.0, 1.0) if name == "training_prior" else 0.0
    if not (share >= lowest).all() or abs(share.sum() - 1.0) > 1e-6:
        rule = "positive" if name == "training_prior" else "not negative"
        raise ValueError(f"The shares in {name} must be {rule} and sum to one.")
    return share


def check_priors(prior, training_prior):
    """Refuse shares in a model file that `as_prior` would."""
    try:
        as_prior("prior", prior, len(prior))
        as_prior("training_prior", training_prior, len(prior))
    except (ValueError, TypeError) as error:
        raise Damaged(str(error).rstrip(".")) from None


def class_shares(y, classes, sample_weight=None):
    """Weighted shares of the classes among the labels."""
    y = column_or_1d(y)
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
    total = np.array([weight[y == label].sum() for label in classes])
    return total / total.sum()
