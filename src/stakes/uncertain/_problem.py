"""The problem behind every formulation, its primal value and its dual bound."""

from dataclasses import dataclass

import numpy as np

from stakes.uncertain._sets import UncertaintySet


@dataclass(eq=False)
class MarginProblem:
    r"""Maximum margin against the worst point of each example's set.

    .. math:: \min_{w,b}\ \tfrac12\|w\|^2 + \sum_i C_i
              \left(1 - \min_{x \in U_i} y_i(w^\top x + b)\right)_+ .

    For any :math:`0 \le \alpha_i \le C_i` with :math:`\sum_i\alpha_i y_i = 0` and any points
    :math:`x_i \in U_i` the value :math:`\sum_i\alpha_i - \frac12\|\sum_i\alpha_i y_i x_i\|^2` is
    a lower bound, the certificate of every solver here.

    Labels y are -1 or 1, the weights C of the slacks positive.
    """

    sets: UncertaintySet
    y: np.ndarray
    C: np.ndarray

    def margins(self, coef, intercept):
        """Minimum of y (w . x + b) over each set."""
        sets = self.sets
        margins = self.y * (sets.center @ coef + intercept)
        if sets.half_width is not None:
            margins -= sets.half_width @ np.abs(coef)
        if sets.axes is not None and sets.above is None:
            return margins - np.sqrt(np.square(sets.axes) @ np.square(coef))
        offsets = sets.offsets(coef[None, :], -self.y)[0]
        return margins + self.y * (offsets @ coef) if np.ndim(offsets) else margins

    def primal(self, coef, intercept):
        """Value of the problem at a classifier."""
        slack = np.maximum(1 - self.margins(coef, intercept), 0)
        return 0.5 * coef @ coef + self.C @ slack

    def dual(self, alpha, moves):
        """Lower bound from multipliers, balanced here, and from points of the sets.

        `moves` are those of the ellipsoid parts, inside their sets, or None; those of the box parts
        are chosen here to bring the sum nearest to zero.
        """
        alpha = self.balanced(alpha)
        v = self.sets.center.T @ (alpha * self.y)
        if moves is not None:
            v += moves.T @ (alpha * self.y)
        if self.sets.half_width is not None:
            room = self.sets.half_width.T @ alpha
            v -= np.clip(v, -room, room)
        return alpha.sum() - 0.5 * v @ v

    def simplified(self):
        """The same problem with a plain box wherever a box lies inside its ellipsoid."""
        sets = self.sets
        if sets.above is None:
            return self
        far = np.maximum(sets.below, sets.above)
        unit = np.divide(far, sets.axes, out=np.where(far > 0, np.inf, 0.0), where=sets.axes > 0)
        plain = (unit**2).sum(axis=1) <= 1
        if not plain.any():
            return self
        half = np.zeros_like(sets.center) if sets.half_width is None else sets.half_width
        new = sets[:]
        move = np.where(plain[:, None], (sets.above - sets.below) / 2, 0.0)
        room = np.where(plain[:, None], (sets.above + sets.below) / 2, 0.0)
        new.center, new.half_width = sets.center + move, half + room
        new.axes = np.where(plain[:, None], 0.0, sets.axes)
        if plain.all():
            new.axes = new.below = new.above = None
        return MarginProblem(new, self.y, self.C)

    def balanced(self, alpha):
        """Multipliers clipped and scaled to 0 <= alpha <= C and alpha . y = 0."""
        alpha = np.clip(alpha, 0, self.C)
        positive = self.y > 0
        up, down = alpha[positive].sum(), alpha[~positive].sum()
        if up > 0 and down > 0:
            alpha = alpha * np.where(positive, min(1, down / up), min(1, up / down))
        return alpha if min(up, down) > 0 else np.zeros_like(alpha)
