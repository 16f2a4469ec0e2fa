"""How late labels are, for learners that can use it."""


def tell_delay(learner, delay):
    """Set `label_delay` of a learner, or of its estimator, where it is None.

    Examples
    --------
    >>> from stakes.online_forest import StreamBlendClassifier
    >>> for own in (None, 0):
    ...     learner = StreamBlendClassifier(label_delay=own)
    ...     tell_delay(learner, 300)
    ...     print(learner.label_delay)
    300
    0
    """
    parameters = learner.get_params() if hasattr(learner, "get_params") else {}
    for name, value in parameters.items():
        if name.split("__")[-1] == "label_delay" and value is None:
            learner.set_params(**{name: delay})
