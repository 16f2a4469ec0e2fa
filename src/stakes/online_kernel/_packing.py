"""Rows of zeros and ones as 64-bit words, and back."""

import numpy as np
from numba import njit

NO_WORDS = np.zeros((0, 0), np.uint64)


def words_of(n_features):
    """Number of words of a row; two at least, for which the compiled loop has a fast path."""
    return max(2, -(-n_features // 64))


def pack(X):
    """Rows of zeros and ones as words, feature k in bit k % 64 of word k // 64."""
    packed = np.zeros((len(X), 8 * words_of(X.shape[1])), np.uint8)
    bits = np.packbits(X != 0, axis=1, bitorder="little")
    packed[:, : bits.shape[1]] = bits
    return packed.view("<u8").astype(np.uint64, copy=False)


@njit(cache=True)
def pack_row(x, words):
    """Write one row as the words of the only row of `words`; False if it is not binary."""
    words[:] = 0
    for k in range(x.size):
        if x[k] == 1.0:
            words[0, k // 64] |= np.uint64(1) << np.uint64(k % 64)
        elif x[k] != 0.0:
            return False
    return True


def unpack(W, n_features):
    """The rows that `pack` was given."""
    octets = np.ascontiguousarray(W).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little")[:, :n_features].astype(np.float64)
