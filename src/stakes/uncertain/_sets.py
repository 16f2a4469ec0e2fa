r"""Uncertainty sets, one per example: where an uncertain point can be.

Every set is a center, plus a box around it, plus an ellipsoid that may be truncated by a box:

.. math:: U_i = \{c_i + p + e :\ |p_j| \le h_{ij},\ \|A_i^{-1}e\|_2 \le 1,\ -\beta_{ij} \le e_j \le
          \gamma_{ij}\} ,

so that support function, worst point and certificate have one implementation.
"""

import numpy as np

from stakes.uncertain._docs import documented
from stakes.uncertain._sets_jit import Truncated, cut_offsets, nearest_crossing


@documented
class UncertaintySet:
    """Base of the sets: n sets in d dimensions, as arrays.

    Attributes
    ----------
    center : ndarray of shape (n, d)
        Center c.
    half_width : ndarray of shape (n, d) or None
        Half-widths h of the box part.
    axes : ndarray of shape (n, d) or None
        Semi-axes A of an ellipsoid part that is parallel to the axes.
    factor : ndarray of shape (n, d, d) or None
        Matrix A of a general ellipsoid part.
    below, above : ndarray of shape (n, d) or None
        Bounds beta and gamma on the moves of the ellipsoid part.
    """

    half_width = axes = factor = below = above = None

    def __len__(self):
        return len(self.center)

    @property
    def shape(self):
        """(n, d); scikit-learn splits what has a shape by indexing with arrays."""
        return self.center.shape

    def __getitem__(self, rows):
        """The sets of some examples; `rows` is a slice, a mask or indices."""
        part = UncertaintySet()
        for name in ("center", "half_width", "axes", "factor", "below", "above"):
            array = getattr(self, name)
            setattr(part, name, None if array is None else array[rows])
        return part

    def support(self, directions):
        """Largest inner product of each set with its direction.

        Parameters
        ----------
        [directions]

        Returns
        -------
        ndarray of shape (n,)
        """
        points = self.worst_points(directions)
        return np.einsum("ij,ij->i", points, np.broadcast_to(directions, points.shape))

    def worst_points(self, directions):
        """The point of each set that is farthest in its direction.

        Parameters
        ----------
        [directions]

        Returns
        -------
        ndarray of shape (n, d)
        """
        directions = np.atleast_2d(np.asarray(directions, np.float64))
        points = self.center + self.offsets(directions, np.ones(len(self)))[0]
        if self.half_width is not None:
            points += self.half_width * np.sign(directions)
        return points

    def touches(self, coef, intercept=0.0):
        """Whether each set intersects the hyperplane coef . x + intercept = 0."""
        highest = self.support(coef) + intercept
        lowest = intercept - self.support(-np.asarray(coef, np.float64))
        return (lowest <= 0) & (highest >= 0)

    def contains(self, points, tol=1e-9):
        """Whether each point is in its set, up to a relative tolerance."""
        away = np.asarray(points, np.float64) - self.center
        e = away
        if self.half_width is not None:
            e = np.sign(away) * np.maximum(np.abs(away) - self.half_width * (1 + tol), 0)
        if self.factor is not None:
            norm2 = np.array(
                [
                    (np.linalg.lstsq(A, x, rcond=None)[0] ** 2).sum()
                    for A, x in zip(self.factor, e, strict=True)
                ]
            )
            return norm2 <= 1 + tol
        if self.axes is None:
            return (np.abs(e) <= tol * (1 + np.abs(self.center))).all(axis=1)
        inside = (e <= self._slack(self.above, tol)) & (-e <= self._slack(self.below, tol))
        unit = np.divide(
            e, self.axes, out=np.where(np.abs(e) > tol, np.inf, 0), where=self.axes > 0
        )
        return ((unit**2).sum(axis=1) <= 1 + tol) & inside.all(axis=1)

    def offsets(self, directions, signs, smooth=0.0, out=None):
        """Worst move of the ellipsoid part in the direction signs[i] * directions[i].

        Parameters
        ----------
        directions : ndarray of shape (1, d) or (n, d)
            One direction for all sets, or one per set.
        signs : ndarray of shape (n,)
            -1 or 1.
        smooth : float, default=0.0
            Smoothing of the kinks of the support function, which grows by at most this.
        out : pair of ndarray of shape (n, d), default=None
            Offsets and free entries of an earlier call, whose memory is used again; only with a
            box, and None: new memory.

        Returns
        -------
        offsets : ndarray of shape (n, d), or 0.0 for a set without an ellipsoid
            Moves e.
        length, radius : ndarray of shape (n,)
            The Hessian of the support function is radius / length times the free part of
            A A' - e e' / radius^2.
        free : ndarray of shape (n, d) or None
            1 where e is inside the box, 0 where it is at a bound; None without a box.
        """
        n = len(self)
        if self.axes is None and self.factor is None:
            return 0.0, np.zeros(n), np.ones(n), None
        if self.above is not None:
            shape = self.axes.shape
            offsets, free = out or (np.empty(shape), np.empty(shape, np.uint8))
            length, radius = np.empty(n), np.empty(n)
            sets = Truncated(self.axes, self.below, self.above)
            cut_offsets(directions, signs, sets, smooth, offsets, free, length, radius)
            return offsets, length, radius, free
        if self.factor is not None:
            half = np.einsum(
                "nkj,nk->nj", self.factor, np.broadcast_to(directions, (n, len(directions[0])))
            )
            offsets = np.einsum("njk,nk->nj", self.factor, half)
            length = np.sqrt(np.einsum("ij,ij->i", half, half) + smooth**2)
        else:
            offsets = self.axes * directions
            length = np.sqrt(np.einsum("ij,ij->i", offsets, offsets) + smooth**2)
            offsets *= self.axes
        offsets *= (signs / np.where(length > 0, length, 1.0))[:, None]
        return offsets, length, np.ones(n), None

    def reach(self, coef, margins, signs):
        """Factor by which each ellipsoid part must grow to touch the hyperplane.

        Parameters
        ----------
        coef : ndarray of shape (d,)
            Normal of the hyperplane.
        margins : ndarray of shape (n,)
            Smallest signed distance (times the norm of coef) of the box part from the hyperplane.
        signs : ndarray of shape (n,)
            Side of each example, -1 or 1.

        Returns
        -------
        ndarray of shape (n,)
            Zero if the box part touches it already, infinite if the set never reaches it.
        """
        if self.above is not None:
            reach = np.empty(len(self))
            sets = Truncated(self.axes, self.below, self.above)
            nearest_crossing(coef, margins, signs, sets, reach)
            return reach
        length = self.offsets(coef[None, :], signs)[1]
        safe = np.divide(margins, length, out=np.full(len(self), np.inf), where=length > 0)
        return np.where(margins > 0, safe, 0.0)

    @staticmethod
    def _slack(bound, tol):
        return np.inf if bound is None else bound + tol * (1 + np.abs(bound))


class Box(UncertaintySet):
    r"""All points between two bounds, :math:`l_i \le x \le u_i`.

    Parameters
    ----------
    lower, upper : array-like of shape (n, d)
        Bounds.

    Examples
    --------
    >>> Box([[0.0, 0.0]], [[2.0, 1.0]]).worst_points([1.0, -1.0])
    array([[2., 0.]])
    """

    def __init__(self, lower, upper):
        lower, upper = _pair("lower", lower, "upper", upper)
        self.center, self.half_width = (lower + upper) / 2, (upper - lower) / 2


class Ellipsoid(UncertaintySet):
    r"""All points :math:`c_i + A_i a` with :math:`\|a\|_2 \le 1`.

    Parameters
    ----------
    center : array-like of shape (n, d)
        Centers c.
    axes : array-like of shape (n, d) or (n, d, d)
        Semi-axes parallel to the coordinate axes, or full matrices A (for a covariance: kappa times
        its Cholesky factor).

    Examples
    --------
    >>> Ellipsoid([[0.0, 0.0]], [[3.0, 4.0]]).support([1.0, 1.0])
    array([5.])
    """

    def __init__(self, center, axes):
        self.center = _table("center", center)
        axes = np.ascontiguousarray(axes, dtype=np.float64)
        n, d = self.center.shape
        if axes.shape not in ((n, d), (n, d, d)) or not np.isfinite(axes).all():
            raise ValueError(
                f"axes must be finite, of shape {(n, d)} or {(n, d, d)}. Got shape {axes.shape}."
            )
        if axes.ndim == 3:
            self.factor = axes
        else:
            self.axes = np.abs(axes)


class MeanIntervalEllipsoid(UncertaintySet):
    r"""Union of the ellipsoids around every mean between two bounds (Eq. 18).

    Parameters
    ----------
    mean_lower, mean_upper : array-like of shape (n, d)
        Bounds on the mean.
    axes : array-like of shape (n, d)
        Semi-axes.

    Examples
    --------
    >>> MeanIntervalEllipsoid([[-1.0, 0.0]], [[1.0, 0.0]], [[3.0, 4.0]]).support([1.0, 1.0])
    array([6.])
    """

    def __init__(self, mean_lower, mean_upper, axes):
        lower, upper = _pair("mean_lower", mean_lower, "mean_upper", mean_upper)
        self.center, self.half_width = (lower + upper) / 2, (upper - lower) / 2
        self.axes = np.abs(_table("axes", axes, like=lower))


class Intersection(UncertaintySet):
    r"""Intersection of an ellipsoid (or a union of them over a mean interval) with a box.

    Parameters
    ----------
    ellipsoid : Ellipsoid or MeanIntervalEllipsoid
        Ellipsoid parallel to the coordinate axes.
    box : Box
        Box that contains at least one possible mean of each example.

    Examples
    --------
    >>> ball = Ellipsoid([[0.0, 0.0]], [[1.0, 1.0]])
    >>> Intersection(ball, Box([[-0.6, -2.0]], [[0.6, 2.0]])).worst_points([1.0, 0.1])
    array([[0.6, 0.8]])
    """

    def __init__(self, ellipsoid, box):
        if ellipsoid.axes is None or ellipsoid.above is not None or box.half_width is None:
            raise ValueError(
                "Intersection needs an ellipsoid with axes parallel to the features, and a Box."
            )
        half = 0.0 if ellipsoid.half_width is None else ellipsoid.half_width
        box_lower, box_upper = box.center - box.half_width, box.center + box.half_width
        lower = np.maximum(ellipsoid.center - half, box_lower)
        upper = np.minimum(ellipsoid.center + half, box_upper)
        slack = 1e-9 * (1 + box.half_width)
        if (lower > upper + slack).any():
            row = int((lower > upper + slack).any(axis=1).argmax())
            raise ValueError(
                f"The mean of example {row} is outside its box; correct it or widen the box."
            )
        upper = np.maximum(lower, upper)
        self.center, self.axes = (lower + upper) / 2, ellipsoid.axes
        if ellipsoid.half_width is not None:
            self.half_width = (upper - lower) / 2
        self.below = np.maximum(lower - box_lower, 0.0)
        self.above = np.maximum(box_upper - upper, 0.0)


def _table(name, array, like=None):
    array = np.ascontiguousarray(array, dtype=np.float64)
    if array.ndim != 2 or not np.isfinite(array).all():
        raise ValueError(f"{name} must be a finite table of shape (n, d). Got shape {array.shape}.")
    if like is not None and array.shape != like.shape:
        raise ValueError(f"{name} must have shape {like.shape}. Got shape {array.shape}.")
    return array


def _pair(name_lower, lower, name_upper, upper):
    lower = _table(name_lower, lower)
    upper = _table(name_upper, upper, like=lower)
    if (lower > upper).any():
        row = int((lower > upper).any(axis=1).argmax())
        raise ValueError(f"{name_lower} is above {name_upper} in row {row}; swap or correct them.")
    return lower, upper
