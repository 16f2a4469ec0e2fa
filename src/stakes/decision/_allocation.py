"""Exact allocation of a limited number of alerts and reviews."""

import heapq

import numpy as np

NEGATIVE, POSITIVE, REVIEW = 0, 1, -1


def allocate(alert_gain, review_gain, max_alerts, max_reviews):
    r"""Choose at most k alerts and m reviews, disjoint, that maximize the total gain.

    .. math:: \max_{A \cap R = \emptyset} \sum_{i\in A} a_i + \sum_{i\in R} r_i
              \quad |A| \le k,\ |R| \le m .

    With a single limit the largest gains win. With two, sort by :math:`a_i - r_i`: by an exchange
    argument some optimal choice has all its alerts before all its reviews. Every cut is tried,
    with running sums of the k (m) largest gains on either side from heaps, in O(n log n).

    Parameters
    ----------
    alert_gain, review_gain : ndarray of shape (n,)
        Expected saving of an alert or a review over doing nothing.
    max_alerts, max_reviews : int
        Limits.

    Returns
    -------
    ndarray of shape (n,) of int
        1: alert, -1: review, 0: neither.

    Examples
    --------
    >>> allocate(np.array([9.0, 8.0, 1.0]), np.array([8.0, 2.0, -1.0]), 1, 1)
    array([-1,  1,  0])
    """
    n = len(alert_gain)
    # with one limit, the scarce action goes where it adds most to the better of the other two
    if max_reviews >= n:
        actions = np.where(review_gain > 0, REVIEW, NEGATIVE)
        actions[_top(alert_gain - np.maximum(review_gain, 0.0), max_alerts)] = POSITIVE
        return actions
    if max_alerts >= n:
        actions = np.where(alert_gain > 0, POSITIVE, NEGATIVE)
        actions[_top(review_gain - np.maximum(alert_gain, 0.0), max_reviews)] = REVIEW
        return actions
    actions = np.full(n, NEGATIVE)
    useful = np.flatnonzero(np.maximum(alert_gain, review_gain) > 0)
    chosen = _allocate_both(alert_gain[useful], review_gain[useful], max_alerts, max_reviews)
    actions[useful] = chosen
    return actions


def _allocate_both(a, r, k, m):
    order = np.argsort(r - a, kind="stable")  # alerts come before reviews in this order
    a, r = np.maximum(a[order], 0.0), np.maximum(r[order], 0.0)
    value = _running_top(a, k) + _running_top(r[::-1], m)[::-1]
    cut = int(np.argmax(value))
    actions = np.full(len(a), NEGATIVE)
    actions[order[:cut][_top(a[:cut], k)]] = POSITIVE
    actions[order[cut:][_top(r[cut:], m)]] = REVIEW
    return actions


def _top(gain, k):
    """Rows with the k largest positive gains; ties go to the first rows."""
    best = np.argsort(-gain, kind="stable")[:k]
    return best[gain[best] > 0]


def _running_top(values, k):
    """Sum of the k largest of the first j values, for j = 0 ... n."""
    sums, heap, total = np.zeros(len(values) + 1), [], 0.0
    for j, value in enumerate(values.tolist(), start=1):
        if len(heap) < k:
            heapq.heappush(heap, value)
            total += value
        elif k:
            total += value - heapq.heappushpop(heap, value)
        sums[j] = total
    return sums
