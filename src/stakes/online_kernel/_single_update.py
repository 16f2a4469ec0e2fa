"""Base of the kernel learners that move one coefficient per example."""

import numpy as np

from stakes._core.jit.kernel_rows import for_loops
from stakes.online_kernel._base import KernelOnline
from stakes.online_kernel._passes_jit import single_pass, single_row


class SingleUpdate(KernelOnline):
    """Base of the learners that add at most one vector per example and move no other."""

    _rule_code = None

    def _pass(self, store, batch, y, theta, scores):
        numbers = np.asarray(self._rule_numbers(), dtype=np.float64)
        single_pass(for_loops(store.support), batch, y, theta, self._rule_code, numbers, scores)

    def _row(self, store, batch, y, theta):
        return single_row(
            for_loops(store.support), batch, y, theta, self._rule_code, *self._rule_numbers()
        )

    def _rule_numbers(self):
        """The rule's own parameters, two floats, for the compiled loop."""
        return 0.0, 0.0
