"""The two-variable box problem (3.4), exact on every face, beside Proposition 2."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.online_kernel import box_by_faces
from stakes.online_kernel._passes_jit import box_step

number = st.floats(-3, 3, allow_nan=False, width=32)
positive = st.floats(0.125, 3, width=32)
share = st.floats(0, 1, width=32)


def value(problem, a, b):
    l_a, l_b, k_a, k_b, w, *_ = problem
    return a * l_a + b * l_b - 0.5 * (k_a * a * a + k_b * b * b) - w * a * b


@settings(deadline=None)
@given(number, number, positive, positive, st.floats(-1, 1, width=32), positive, share)
def test_exact_on_all_faces(l_a, l_b, k_a, k_b, cosine, C, used):
    g_b = C * used
    problem = (l_a, l_b, k_a, k_b, cosine * np.sqrt(k_a * k_b), C, -g_b, C - g_b)
    a, b = box_step(*problem)
    assert 0 <= a <= C and -g_b - 1e-12 <= b <= C - g_b + 1e-12
    best = value(problem, *box_by_faces(*problem))
    assert value(problem, a, b) == pytest.approx(best, rel=1e-9, abs=1e-9)


@settings(deadline=None)
@given(share, share, positive, positive, st.floats(-0.984375, 0, width=32), positive, share)
def test_proposition_2_is_complete_under_its_assumptions(l_a, l_b, k_a, k_b, cosine, C, used):
    """With l_a, l_b >= 0 and w <= 0 the optimum is on one of its four faces; we find the same."""
    g_b, w = C * used, cosine * np.sqrt(k_a * k_b)
    room, det = C - g_b, k_a * k_b - w * w
    answers = []
    if k_a * C + w * room - l_a < 0 and k_b * room + w * C - l_b < 0:
        answers.append((C, room))
    if (w * w * C - w * l_b - k_a * k_b * C + k_b * l_a) / k_b > 0:
        answers.append((C, (l_b - w * C) / k_b))
    if l_b - k_b * room - w * (l_a - w * room) / k_a > 0:
        answers.append(((l_a - w * room) / k_a, room))
    answers.append(((k_b * l_a - w * l_b) / det, (k_a * l_b - w * l_a) / det))
    inside = [(a, b) for a, b in answers if 0 <= a <= C + 1e-9 and -g_b <= b <= room + 1e-9]
    problem = (l_a, l_b, k_a, k_b, w, C, -g_b, room)
    found = value(problem, *box_step(*problem))
    assert found == pytest.approx(max(value(problem, *x) for x in inside), rel=1e-6, abs=1e-6)


def test_equal_vectors_of_two_classes():
    a, b = box_step(1.0, 1.0, 1.0, 1.0, -1.0, 10.0, -2.0, 8.0)
    assert value((1.0, 1.0, 1.0, 1.0, -1.0), a, b) == pytest.approx(9 + 8 - 0.5)


def test_outside_the_assumptions():
    """l_b < 0 (b above its margin) is outside Proposition 2; b's weight then falls."""
    a, b = box_step(0.5, -3.0, 1.0, 1.0, -0.1, 10.0, -1.0, 9.0)
    assert (a, b) == (pytest.approx(0.4), -1.0)
