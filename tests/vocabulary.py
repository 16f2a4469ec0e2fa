"""All public constructor parameters by family: `python tests/vocabulary.py` prints the table."""

import inspect
from collections import defaultdict

from stakes.compare import all_estimators


def parameters():
    """Parameter name -> {(family, default, kind): learners}."""
    table = defaultdict(lambda: defaultdict(list))
    for name, learner in all_estimators():
        family = learner.__module__.split(".")[1]
        for one in list(inspect.signature(learner.__init__).parameters.values())[1:]:
            table[one.name][family, str(one.default), one.kind].append(name)
    return table


if __name__ == "__main__":
    for parameter, uses in sorted(parameters().items()):
        print(parameter)
        for (family, default, _), learners in sorted(uses.items()):
            print(f"    {family:14} {default:12} {', '.join(learners)}")
