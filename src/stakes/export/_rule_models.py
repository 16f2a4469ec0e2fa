"""Rules that are asked one after the other."""

import numpy as np

from stakes.export._converters import Scores, converts


@converts("stakes.tree._association.AssociationRuleClassifier")
def _association_rules(model, X):
    """The first rule whose conditions all hold decides; the last row of the tables is the rest."""
    conditions, sizes, probability, score = model._scoring_parts()
    graph = X.graph
    rest = X.take([0]).is_missing().cast() * 0.0 + 1.0
    if not len(sizes):
        at = rest.cast(np.int64) - graph.constant(1, np.int64)
    else:
        feature, low, high, members = conditions
        x = X.take(feature)
        # int truncates towards zero, as codes of categories are read
        held = (x > low[None, :]) & (x <= high[None, :])
        counts = held.cast() @ members
        holds = counts.op("GreaterOrEqual", sizes[None, :].astype(float)).cast()
        at = graph.join([holds, rest]).op("ArgMax", axis=1, keepdims=1)
    p, s = (
        graph.vector(table, np.float64).op("Gather", at, axis=0) for table in (probability, score)
    )
    return Scores(p, s)
