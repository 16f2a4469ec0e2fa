"""Who gets the few alerts and reviews that there are: the exact best choice."""

import heapq

import numpy as np

NEGATIVE, POSITIVE, REVIEW = 0, 1, -1


def allocate(alert_gain, review_gain, max_alerts, max_reviews):
    r"""Choose at most k alerts and m reviews, disjoint, with the greatest total gain.

    .. math:: \max_{A \cap R = \emptyset} \sum_{i\in A} a_i + \sum_{i\in R} r_i
              \quad |A| \le k,\ |R| \le m .

    With one limit the greatest gains win. With two, sort by :math:`a_i - r_i`: by exchange some
    best choice has all its alerts before all its reviews, so each place to cut is tried, with
    running sums of the k (m) greatest gains on either side from heaps: O(n log n).

    Parameters
    ----------
    alert_gain, review_gain : ndarray of shape (n,)
        What an alert or a review is expected to save against doing nothing.
    max_alerts, max_reviews : int
        The limits.

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
    free = np.maximum(review_gain, 0.0) if max_reviews >= n else None
    if free is not None:  # only alerts are scarce: what each adds to the best of the rest
        actions = np.where(review_gain > 0, REVIEW, NEGATIVE)
        actions[_top(alert_gain - free, max_alerts)] = POSITIVE
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
    order = np.argsort(r - a, kind="stable")
    a, r = np.maximum(a[order], 0.0), np.maximum(r[order], 0.0)
    value = _running_top(a, k) + _running_top(r[::-1], m)[::-1]
    cut = int(np.argmax(value))
    actions = np.full(len(a), NEGATIVE)
    actions[order[:cut][_top(a[:cut], k)]] = POSITIVE
    actions[order[cut:][_top(r[cut:], m)]] = REVIEW
    return actions


def _top(gain, k):
    """Rows with the k greatest positive gains; of equal ones the first rows."""
    best = np.argsort(-gain, kind="stable")[:k]
    return best[gain[best] > 0]


def _running_top(values, k):
    """Sum of the k greatest of the first j values, for j = 0 ... n."""
    sums, heap, total = np.zeros(len(values) + 1), [], 0.0
    for j, value in enumerate(values.tolist(), start=1):
        if len(heap) < k:
            heapq.heappush(heap, value)
            total += value
        elif k:
            total += value - heapq.heappushpop(heap, value)
        sums[j] = total
    return sums
