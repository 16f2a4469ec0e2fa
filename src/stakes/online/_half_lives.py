"""How fast to forget, chosen by what each half-life would have cost lately.

With `half_life="auto"` a learner begins without forgetting. Rivals, copies of it that forget with
other half-lives, learn the same examples. Every BLOCK examples the losses in money since the last
comparison are added up (see `add_loss`), and a rival that is ahead by FASTER, or by SLOWER if it
forgets less, takes the place of the learner: all decisions are its own from then on. A lead or lag
beyond REACH does not count, so that only recent examples matter. With equal costs the losses are
log losses, so that a lead of FASTER is a likelihood ratio of exp(FASTER), about 1,100 to one. It
takes more to begin to forget than to stop, because a stream without drift is the common case, in
which every rival is worse and one that leads does so by chance.

Rivals cost time. A learner that does not forget has three, the SCOUTS, compared every PATIENT
examples; the first of them that takes over calls all others, one that is REACH behind leaves. They
also come and go. If the learner leads for AWAKE examples (BRIEF if it forgets, SETTLED if it began
to), and no rival is well ahead, they leave for SHORTEST examples, then for twice as long each time,
up to LONGEST. A change of the half-life sets that back. Two tests call them: one as soon as
decisions cost more, or less, than they promised, the other as soon as margins are negative more
often than before (`heed`); the next time away is then half as long. They begin as copies of what
the learner then knows.
"""

import numpy as np
from numba import njit

from stakes._core.jit.drift import N_BETS
from stakes._core.jit.prequential import RATE
from stakes.online._state import (
    ALARM,
    BOOK,
    COMPARE,
    DRIFT,
    GROWTH,
    HALF_LIFE,
    LISTENS,
    LOSS,
    N_AGAINST,
    N_BEFORE,
    N_SEEN,
    PAUSE_AT,
    TALLY,
    USUAL,
    VAST,
)

HALF_LIVES = (0.0, 8192.0, 2048.0, 512.0, 128.0, 32.0, 16.0, 8.0)  # zero: never forgets
SCOUTS = (2048.0, 128.0, 16.0)  # rivals of a learner that does not forget
BLOCK = 64.0  # examples between two comparisons
PATIENT = 256.0  # the same while nothing is forgotten
FASTER = 7.0
SLOWER = 2.0
REACH = 10.0
AHEAD = 1.0  # a rival with this lead keeps all awake
AWAKE = 2048.0
BRIEF = 512.0
SETTLED = 8192.0
SHORTEST = 2048.0
LONGEST = 131_072.0
NO_RIVALS = np.empty((0, 0))

# Slots of `_clock`
AWAKE_UNTIL, ASLEEP_FOR, DUE = 0, 1, 2


class HalfLives:
    """The half-life of a stream learner: fixed, or the one that costs least."""

    @property
    def half_life_(self):
        """Half-life now, in examples; infinite if nothing is forgotten."""
        return float(self._knows[HALF_LIFE]) or np.inf

    def _start_half_life(self):
        self._rivals, self._lead = NO_RIVALS, np.zeros(1)
        self._clock = np.array([AWAKE, SHORTEST, 0.0])

    def _set_half_life(self):
        """Begin, or continue, as `half_life` says."""
        if self._chooses():
            if self._knows[PAUSE_AT] == VAST:
                self._wake()
        else:
            self._stop_comparing()
            if not isinstance(self.half_life, str):
                _set_half_life(self._knows, float(self.half_life or 0.0))

    def _chooses(self):
        """Whether half-lives are compared, which needs probabilities."""
        return isinstance(self.half_life, str) and self.calibration is not None

    def _stop_comparing(self):
        """Continue with the half-life in use."""
        self._rivals, self._lead = NO_RIVALS, np.zeros(1)
        self._knows[PAUSE_AT], self._knows[COMPARE], self._knows[LISTENS] = VAST, 0.0, 0.0

    def _wake(self):
        """Begin to compare: every half-life starts from what the learner knows."""
        knows = self._knows
        knows[COMPARE], knows[LISTENS], knows[LOSS] = 1.0, 0.0, 0.0
        knows[PAUSE_AT] = knows[N_SEEN] + self._block()
        self._rivals, self._lead = NO_RIVALS, np.zeros(1)
        self._invite()
        self._clock[AWAKE_UNTIL] = knows[N_SEEN] + (BRIEF if knows[HALF_LIFE] else AWAKE)

    def _invite(self):
        """Keep the rivals that suit the learner's half-life; the missing ones are copies of it."""
        wanted = rivals_of(self._knows[HALF_LIFE])
        kept = [k for k, rival in enumerate(self._rivals) if rival[HALF_LIFE] in wanted]
        missing = sorted(set(wanted) - {self._rivals[k, HALF_LIFE] for k in kept})
        new = np.tile(self._knows, (len(missing), 1))
        for rival, half_life in zip(new, missing, strict=True):
            _set_half_life(rival, half_life)
            rival[PAUSE_AT] = VAST
        self._rivals = np.concatenate([self._rivals[kept], new]) if kept else new
        ahead = self._lead[[0, *(k + 1 for k in kept)]]
        self._lead = np.concatenate([ahead, np.zeros(len(missing))])

    def _sleep(self):
        """Continue without rivals until they are due, or until the drift test calls them."""
        self._stop_comparing()
        self._clock[DUE] = self._knows[N_SEEN] + self._clock[ASLEEP_FOR]
        self._knows[PAUSE_AT], self._knows[LISTENS] = self._clock[DUE], 1.0
        self._knows[DRIFT : DRIFT + N_BETS] = self._knows[ALARM] = 0.0
        against, n = self._knows[N_AGAINST], self._knows[N_SEEN] - self._knows[N_BEFORE]
        self._knows[USUAL] = (against + 1.0) / (n + 2.0)
        self._knows[N_AGAINST] *= 0.5  # older ones count less
        self._knows[N_BEFORE] += 0.5 * n
        self._clock[ASLEEP_FOR] = min(2.0 * self._clock[ASLEEP_FOR], LONGEST)

    def _pause(self):
        """What happens when the loops pause."""
        if len(self._rivals) == 0:
            if self._knows[N_SEEN] < self._clock[DUE]:  # a test called
                self._clock[ASLEEP_FOR] = max(0.5 * self._clock[ASLEEP_FOR], SHORTEST)
            return self._wake()
        best = compare(self._knows, self._rivals, self._lead)
        if best >= 0:
            self._follow(best)
            self._invite()
            awake = SETTLED if self._knows[HALF_LIFE] else AWAKE
            self._clock[AWAKE_UNTIL] = self._knows[N_SEEN] + awake
            self._clock[ASLEEP_FOR] = SHORTEST
        if not self._knows[HALF_LIFE]:
            self._dismiss()
        late = self._knows[N_SEEN] >= self._clock[AWAKE_UNTIL] or len(self._rivals) == 0
        if late and self._lead.max() < AHEAD:
            self._sleep()
        else:
            self._knows[PAUSE_AT] = self._knows[N_SEEN] + self._block()

    def _dismiss(self):
        """Send away the scouts that are as far behind as counts."""
        kept = np.flatnonzero(self._lead[1:] > -REACH)
        if len(kept) < len(self._rivals):  # else it would be a copy of all weights
            self._rivals, self._lead = self._rivals[kept], self._lead[np.r_[0, kept + 1]]

    def _block(self):
        """Examples until the next comparison."""
        return BLOCK if self._knows[HALF_LIFE] else PATIENT

    def _follow(self, k):
        """Swap places with rival k; the books, which hold decisions made, stay with the learner."""
        old, new = self._knows, self._rivals[k].copy()
        self._rivals[k] = old
        self._rivals[k, PAUSE_AT] = VAST
        new[TALLY], new[BOOK] = old[TALLY], old[BOOK]
        new[N_AGAINST], new[N_BEFORE] = 0.0, old[N_SEEN]
        self._knows = new
        ahead = self._lead[k + 1]
        self._lead[[0, k + 1]] = ahead, self._lead[0]
        self._lead -= ahead


@njit(cache=True)
def compare(knows, rivals, lead):
    """Add the losses since the last comparison to the leads; the best rival, or -1."""
    lead[0] = -knows[LOSS]
    for k in range(rivals.shape[0]):
        lead[k + 1] -= rivals[k, LOSS]
    top = lead.max()
    own, best = max(lead[0], top - REACH), -1
    lead[0] = 0.0
    for k in range(rivals.shape[0]):
        lead[k + 1] = max(lead[k + 1], top - REACH) - own
        needed = SLOWER if rivals[k, GROWTH] < knows[GROWTH] else FASTER
        if lead[k + 1] > max(needed, lead[best + 1]):
            best = k
        rivals[k, LOSS] = 0.0
    knows[LOSS] = 0.0
    return best


def rivals_of(half_life):
    """Half-lives to compare with one: a few of all if it is infinite, else all others.

    Examples
    --------
    >>> rivals_of(0.0)
    (2048.0, 128.0, 16.0)
    """
    return tuple(h for h in (HALF_LIVES if half_life else SCOUTS) if h != half_life)


def _set_half_life(knows, half_life):
    knows[HALF_LIFE] = half_life
    knows[GROWTH] = 2.0 ** (1.0 / half_life) if half_life else 1.0
    knows[RATE] = np.log(2.0) / half_life if half_life else 0.0
