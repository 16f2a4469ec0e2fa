"""Samplers of training data by cost or by neighborhood, and a classifier built on them.

`SafeLevelSMOTE` and `WrapperSampler` need imbalanced-learn (the extra of that name).
"""

from stakes.sampling._cost_proportionate import CostProportionateSampler
from stakes.sampling._costing import CostingClassifier
from stakes.sampling._safe_level import SafeLevelSMOTE
from stakes.sampling._wrapper import WrapperSampler

__all__ = ["CostProportionateSampler", "CostingClassifier", "SafeLevelSMOTE", "WrapperSampler"]
