"""Certificates of a fitted model's decisions, if it gives them."""

from stakes._core.deciding import final_step


def gives_certificates(model):
    """Whether a fitted pipeline certifies its decisions."""
    return getattr(final_step(model)[0], "certifies_rows", False)


def certified(model, X, **costs):
    """Certificates of the decisions of a fitted pipeline at these costs; None if it gives none."""
    if not gives_certificates(model):
        return None
    decider, before = final_step(model)
    for step in before:
        X = step.transform(X)
    return decider.predict_certificate(X, **costs)
