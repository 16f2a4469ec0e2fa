"""Compiled lookup of the first rule whose conditions all hold."""

from numba import njit

from stakes._core.jit import ENTRY


@njit(cache=True, **ENTRY)
def first_match(codes, start, feature, code, out):
    """Index of the first rule that each row meets; the number of rules if it meets none.

    The conditions of rule k are `feature[start[k]:start[k + 1]]` and `code` likewise.
    """
    n_rules = len(start) - 1
    for i in range(len(codes)):
        out[i] = n_rules
        for k in range(n_rules):
            met = True
            for c in range(start[k], start[k + 1]):
                if codes[i, feature[c]] != code[c]:
                    met = False
                    break
            if met:
                out[i] = k
                break
