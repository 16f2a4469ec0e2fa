"""Cache of kernel rows in one buffer, which leaves room for what else the solver holds."""

import numpy as np

FEWEST = 32  # rows that a cache holds at least
VECTORS = 40  # of one number per example: gradients, bounds, orders, copies of them


class Pool:
    """Kernel rows by slot; the least recently used rows are replaced.

    Parameters
    ----------
    gram : Kernel
        The kernel.
    cache_mib : float
        Memory of the buffer and of the other arrays of a fit in MiB; the buffer has at least 32
        rows.
    block : int
        Largest number of rows that are needed at the same time; fewer if the buffer is small.
    """

    def __init__(self, gram, cache_mib, block):
        n, itemsize = gram.shape[0], gram.dtype.itemsize
        room = cache_mib * 2**20 - gram.working_bytes() - VECTORS * 8 * n
        slots = min(n, max(FEWEST, int(room / (itemsize * n))))
        self.buffer, self.most = np.empty(slots * n * itemsize, dtype=np.uint8), block
        self.reset(gram)

    def reset(self, gram):
        """Use the buffer for another kernel, or for all rows again after `narrow`."""
        self.gram, n = gram, gram.shape[0]
        self._cut(n)
        self.slot_of = np.full(n, -1)
        self.owner = np.full(len(self.rows), -1)
        self.used = np.zeros(len(self.rows), dtype=np.int64)
        self.clock = self.filled = 0

    def _cut(self, n):
        values = self.buffer.view(self.gram.dtype)
        slots = min(n, len(values) // max(n, 1))
        self.rows = values[: slots * n].reshape(slots, n)
        self.block = max(2, min(self.most, slots // 2))

    def matrix(self, n):
        """The front of the buffer as an n x n matrix of float64; a new one if it is too small."""
        if 8 * n * n > len(self.buffer):
            return np.empty((n, n))
        return self.buffer[: 8 * n * n].view(np.float64).reshape(n, n)

    def slots(self, block):
        """Slots of the rows of a block, after computing the missing ones."""
        self.clock += 1
        slots = self.slot_of[block]
        self.used[slots[slots >= 0]] = self.clock
        missing = np.flatnonzero(slots < 0)
        if len(missing):
            free = self._oldest(len(missing))
            gone = self.owner[free]
            self.slot_of[gone[gone >= 0]] = -1
            new = block[missing]
            if free[-1] - free[0] == len(free) - 1:  # neighbours: written without a copy
                self.gram.block(new, out=self.rows[free[0] : free[-1] + 1])
            else:
                for start in range(0, len(new), FEWEST):  # a few at a time, to save memory
                    part = slice(start, start + FEWEST)
                    self.rows[free[part]] = self.gram.block(new[part])
            self.owner[free], self.slot_of[new], self.used[free] = new, free, self.clock
            slots[missing] = free
        return slots

    def _oldest(self, count):
        if self.filled + count <= len(self.used):
            self.filled += count
            return np.arange(self.filled - count, self.filled)
        self.filled = len(self.used)  # slots never used count as the oldest
        return np.sort(np.argpartition(self.used, count - 1)[:count])

    def narrow(self, active):
        """Keep some of the rows and columns only; the cached rows among them stay.

        The rows move to the front of the buffer in the order of their slots: a shorter row never
        reaches a longer one that is still to be moved.
        """
        slots = np.sort(self.slot_of[active])
        slots = slots[slots >= 0]
        owners, wide = self.owner[slots], self.rows
        n, place = len(active), np.full(self.gram.shape[0], -1)
        place[active] = np.arange(n)
        self.gram = self.gram.take(active)
        self._cut(n)
        values = self.buffer.view(self.gram.dtype)
        for k, slot in enumerate(slots):
            values[k * n : (k + 1) * n] = wide[slot][active]
        self.slot_of, self.owner = np.full(n, -1), np.full(len(self.rows), -1)
        self.used = np.zeros(len(self.rows), dtype=np.int64)
        held = np.arange(len(slots))
        self.owner[held], self.slot_of[place[owners]] = place[owners], held
        self.clock, self.filled = 0, len(slots)
