"""Samplers that count what an example costs, or how safe a rare one is; only ever on training data.

imbalanced-learn (the extra of that name) does the drawing of `SafeLevelSMOTE` and
`WrapperSampler`; the others do without it.
"""

from stakes.sampling._cost_proportionate import CostProportionateSampler
from stakes.sampling._costing import CostingClassifier
from stakes.sampling._safe_level import SafeLevelSMOTE
from stakes.sampling._wrapper import WrapperSampler

__all__ = ["CostProportionateSampler", "CostingClassifier", "SafeLevelSMOTE", "WrapperSampler"]
