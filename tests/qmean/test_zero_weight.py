"""A class whose weight becomes zero leaves finite probabilities."""

import numpy as np

from stakes.qmean._base import log_weights


def test_the_weight_of_a_class_may_be_zero():
    found = log_weights(np.array([0.0, 0.5, 1e-320]), np.array([4.0, 8.0, 2.0]))
    assert np.isfinite(found).all()
    assert found[1] == np.log(1 / 16) and found[0] == found[2] == np.log(np.finfo(float).tiny)
