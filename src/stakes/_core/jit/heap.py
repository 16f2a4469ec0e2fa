"""Compiled binary heap in an array that the caller owns: heap[0] is the least of heap[:n]."""

from numba import njit

from stakes._core.jit import ENTRY


@njit(cache=True, **ENTRY)
def heap_push(heap, n, value):
    """Add a value to a heap of n values; the array must have room."""
    i = n  # sift up: move larger parents down until the value fits
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent] <= value:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = value


@njit(cache=True, **ENTRY)
def heap_pop(heap, n):
    """Remove the least of n >= 1 values and return it; heap[:n - 1] is a heap again."""
    least, last = heap[0], heap[n - 1]
    n -= 1
    i = 0  # sift down: move the smaller child up until the last value fits
    while True:
        child = 2 * i + 1
        if child >= n:
            break
        if child + 1 < n and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = last
    return least
