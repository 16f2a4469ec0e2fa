"""A binary heap in an array that the caller owns: heap[:n] is in order, the least value first."""

from numba import njit


@njit(cache=True)
def heap_push(heap, n, value):
    """Put a value into the heap of n values; there must be room for one more."""
    i = n
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent] <= value:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = value


@njit(cache=True)
def heap_pop(heap, n):
    """Take the least out of n >= 1 values and return it; heap[:n - 1] stays in order."""
    least, last = heap[0], heap[n - 1]
    n -= 1
    i = 0
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
