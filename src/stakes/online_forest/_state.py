"""Everything that a forest for streams knows: arrays of a size that is fixed when it starts.

A tree is a pool of nodes. A leaf has an observer: a few features to choose from, up to N_CUTS
candidate cuts of each, and the masses of both classes in the bins between them. A split hands the
observer of the leaf to its left branch and a new one to the right branch, so that a pool of n nodes
needs (n + 1) / 2 observers.
"""

from typing import NamedTuple

import numpy as np

from stakes._core.jit.prequential import SIZE

N_CUTS = 15  # candidate cuts of a feature in a leaf; 16 bins, found with four comparisons
N_BINS = N_CUTS + 1
MISSING = N_BINS  # the bin of missing values

# Columns of `nodes`, (trees, nodes, 4)
FEATURE = 0  # of the split; -1 in a leaf
CHILD = 1  # the left branch; the right one is the node after it
OBSERVER = 2  # of a leaf
MISSING_LEFT = 3  # 1 if a missing value goes to the left branch

# Columns of `points`, (trees, nodes, 2)
CUT = 0  # values up to it go left; of a category, the bin that goes left
LAST = 1  # number of the event that last taught the leaf

# Last axis of `value`, (trees, nodes, half-lives, 2), and of `linear`, (half-lives, d + 1, 2)
MEAN, VARIANCE = 0, 1

# Columns of `tally`, (trees, observers, 6)
SEEN = 0  # events since the observer began
NEXT_TRY = 1  # number of events at which the next split is tried
RENEW_AT = 2  # number of events after which it draws other features
N_FILLED = 3  # cuts that are set
MASS_0, MASS_1 = 4, 5  # mass of both classes in all bins

# Columns of `trees`, (trees, 2): the last row is the tree on trial
WHERE = 0  # position of the tree in the other arrays
USED = 1  # nodes in use of the tree at this position

# Slots of `head`. The first ones are the calibration, see _core/jit/prequential.py
N_SEEN = SIZE  # events with a cost, the only ones that are learned
SUM_POS = SIZE + 1  # sum of c_pos, the regret of missing a positive, whatever the label
SUM_NEG = SIZE + 2
SUM_WEIGHT = SIZE + 3
PAID, NEVER, ALWAYS = SIZE + 4, SIZE + 5, SIZE + 6  # money of the decisions made before learning
N_COLUMNS = SIZE + 7  # columns in use: fewer than there are in a stream of dicts
SEED = SIZE + 8
N_DRAWN = SIZE + 9  # random numbers drawn so far
TRIED = SIZE + 10  # events of the present trial
RIVAL = SIZE + 11  # which tree of the forest the one on trial would replace
GAIN, GAIN_SQUARE = SIZE + 12, SIZE + 13  # what it saved in money, and the sum of the squares
N_REPLACED = SIZE + 14
# settings, written by `set_rule`
CRITERION = SIZE + 15
CALIBRATE = SIZE + 16
STAKE = SIZE + 17  # 1 if events count by what is at stake
TRIAL = SIZE + 18  # events of a trial; 0: no trials
LINEAR = SIZE + 19  # 1 if there is a linear part
SHARES = SIZE + 20  # shares of the half-lives in the prediction, one slot each
N_HALF_LIVES = 3
GROWTH = SHARES + N_HALF_LIVES  # log of the growth of the variances per event, one slot each
HEAD = GROWTH + N_HALF_LIVES

# Constants of the method, chosen on other data than it is judged on, see docs/stream_forest.md
LEAF_VARIANCE = 0.05  # of the value of a new branch, in log-odds squared
WEIGHT_VARIANCE = 0.1  # of a weight of the linear part before the first event
INTERCEPT_VARIANCE = 4.0
SIGNIFICANT = 5.0  # squared score statistic from which a split is made
FIRST_TRY = 40.0
TRY_AGAIN = 1.2  # a failed try is repeated after this many times the events
RENEW = 1000.0  # events after which a leaf without a split looks at other features,
RENEW_LATER = 1.5  # then this many times as many
LEAST_MASS = 3.0  # of both classes before a split is tried
STEP = 0.5  # share of the Newton step that a new branch starts with
FARTHEST = 5.0  # standard deviations; what lies further out counts as this
SWITCH = 1e-3  # share that moves between the half-lives at each event
MOST_WEIGHT = 10.0  # weight of an event relative to the mean
SURE = 2.0  # standard errors by which a tree on trial must be cheaper
HALF_LIVES = 2_000.0, 200.0  # that "auto" compares with forgetting nothing


class Forest(NamedTuple):
    """The arrays, as the compiled loops take them."""

    trees: np.ndarray
    nodes: np.ndarray
    points: np.ndarray
    value: np.ndarray
    tally: np.ndarray
    candidates: np.ndarray
    cuts: np.ndarray
    mass: np.ndarray
    linear: np.ndarray
    scale: np.ndarray  # (2, d): mean, and sum of the squared distances from it
    head: np.ndarray
    categorical: np.ndarray


def set_rule(head, *, criterion, calibrate, stake, trial, linear, half_lives):
    """Write the settings that the compiled loops read."""
    head[CRITERION] = criterion
    head[[CALIBRATE, STAKE, TRIAL, LINEAR]] = calibrate, stake, trial, linear
    rates = [0.0 if h is None else np.log(2.0) / h for h in half_lives]
    head[GROWTH : GROWTH + len(rates)] = rates
