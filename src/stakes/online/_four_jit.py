"""Compiled: four numbers at once, which numba has no name for.

A loop with four partial sums is compiled to four additions, one after the other: the compiler may
not join what was written apart. A processor adds four numbers at once, each as it would alone, so
that the result is the same to the last bit. The loops say so with these functions. Where the
compiler is disabled, four numbers are an array of numpy.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

_N = 4
_WORD = ir.IntType(32)
_FOUR = ir.VectorType(ir.DoubleType(), _N)
_TWO = ir.VectorType(ir.DoubleType(), 2)


class _Four(types.Type):
    """Type of four float64."""


FOUR_NUMBERS = _Four(name="FourNumbers")


@register_model(_Four)
class _FourModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _FOUR)


def _arithmetic(op, instruction):
    """Let two of them be added, multiplied and so on."""

    @infer_global(op)
    class _(ConcreteTemplate):
        cases = [signature(FOUR_NUMBERS, FOUR_NUMBERS, FOUR_NUMBERS)]

    @lower_builtin(op, FOUR_NUMBERS, FOUR_NUMBERS)
    def _(target, builder, kind, values):
        return getattr(builder, instruction)(*values)


for _op, _instruction in (
    (operator.add, "fadd"),
    (operator.iadd, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _arithmetic(_op, _instruction)


def _mask(*places):
    return ir.Constant(ir.VectorType(_WORD, len(places)), list(places))


def _place(target, builder, kind, values, index, as_four=False):
    """Address of an element of the array that is the first argument."""
    data = target.make_array(kind.args[0])(target, builder, values[0]).data
    place = builder.gep(data, [index])
    return builder.bitcast(place, _FOUR.as_pointer()) if as_four else place


def _pair_at(target, builder, kind, values, index):
    """Address of two elements of the array that is the first argument."""
    return builder.bitcast(_place(target, builder, kind, values, index), _TWO.as_pointer())


def _load4(context, array, i):
    """Elements i to i + 3 of an array."""

    def generate(target, builder, kind, values):
        place = _place(target, builder, kind, values, values[1], as_four=True)
        return builder.load(place, align=8)

    return FOUR_NUMBERS(array, i), generate


def _store4(context, array, i, four):
    """Write elements i to i + 3 of an array."""

    def generate(target, builder, kind, values):
        place = _place(target, builder, kind, values, values[1], as_four=True)
        builder.store(values[2], place, align=8)
        return target.get_dummy_value()

    return types.void(array, i, four), generate


def _take_pairs(context, array, i, j):
    """Elements i, i + 1, j and j + 1 of an array."""

    def generate(target, builder, kind, values):
        pairs = (
            builder.load(_pair_at(target, builder, kind, values, index), align=8)
            for index in values[1:]
        )
        return builder.shuffle_vector(*pairs, _mask(0, 1, 2, 3))

    return FOUR_NUMBERS(array, i, j), generate


def _put_pairs(context, array, i, j, four):
    """Write elements i, i + 1, j and j + 1 of an array, which must be distinct."""

    def generate(target, builder, kind, values):
        for index, pair in zip(values[1:3], ((0, 1), (2, 3)), strict=True):
            value = builder.shuffle_vector(values[3], values[3], _mask(*pair))
            builder.store(value, _pair_at(target, builder, kind, values, index), align=8)
        return target.get_dummy_value()

    return types.void(array, i, j, four), generate


def _arranged(*places):
    """Numbers of two times four, by their places among the eight."""

    def generate(target, builder, kind, values):
        return builder.shuffle_vector(values[0], values[-1], _mask(*places))

    return generate


def _evens4(context, four):
    """Of a, b, c, d: a, a, c, c."""
    return FOUR_NUMBERS(four), _arranged(0, 0, 2, 2)


def _odds4(context, four):
    """Of a, b, c, d: b, b, d, d."""
    return FOUR_NUMBERS(four), _arranged(1, 1, 3, 3)


def _mix4(context, four, other):
    """The first and the third of four numbers, the second and the fourth of the others."""
    return FOUR_NUMBERS(four, other), _arranged(0, 5, 2, 7)


def _same4(context, value):
    """One number four times."""

    def generate(target, builder, kind, values):
        one = builder.insert_element(ir.Constant(_FOUR, ir.Undefined), values[0], _WORD(0))
        return builder.shuffle_vector(one, one, _mask(*[0] * _N))

    return FOUR_NUMBERS(types.float64), generate


def _least4(context, four, other):
    """The smaller ones of two times four numbers; the first if they are equal or not ordered."""

    def generate(target, builder, kind, values):
        less = builder.fcmp_ordered("<", values[1], values[0])
        return builder.select(less, values[1], values[0])

    return FOUR_NUMBERS(four, other), generate


def _sum4(context, four):
    """Sum of four numbers, in pairs."""

    def generate(target, builder, kind, values):
        a, b, c, d = (builder.extract_element(values[0], _WORD(k)) for k in range(_N))
        return builder.fadd(builder.fadd(a, b), builder.fadd(c, d))

    return types.float64(four), generate


def _pair_sums(context, four):
    """Of a, b, c, d: a + c and b + d."""

    def generate(target, builder, kind, values):
        first, second = (
            builder.shuffle_vector(values[0], values[0], _mask(*pair)) for pair in ((0, 1), (2, 3))
        )
        both = builder.fadd(first, second)
        found = [builder.extract_element(both, _WORD(k)) for k in range(2)]
        return target.make_tuple(builder, kind.return_type, found)

    return types.UniTuple(types.float64, 2)(four), generate


def _below4(context, array, i, bound):
    """Whether four int32 of an array, from i on, are in 0 .. bound - 1."""

    def generate(target, builder, kind, values):
        data = target.make_array(kind.args[0])(target, builder, values[0]).data
        whole = ir.VectorType(_WORD, _N)
        place = builder.bitcast(builder.gep(data, [values[1]]), whole.as_pointer())
        found = builder.load(place, align=4)
        short = builder.trunc(values[2], _WORD)
        one = builder.insert_element(ir.Constant(whole, ir.Undefined), short, _WORD(0))
        bounds = builder.shuffle_vector(one, one, _mask(*[0] * _N))
        beyond = builder.icmp_unsigned(">=", found, bounds)
        bits = builder.bitcast(beyond, ir.IntType(_N))
        return builder.icmp_unsigned("==", bits, ir.IntType(_N)(0))

    return types.boolean(array, i, bound), generate


if config.DISABLE_JIT:

    def load4(array, i):
        """Elements i to i + 3 of an array."""
        return array[int(i) : int(i) + _N].copy()

    def store4(array, i, four):
        """Write elements i to i + 3 of an array."""
        array[int(i) : int(i) + _N] = four

    def take_pairs(array, i, j):
        """Elements i, i + 1, j and j + 1 of an array."""
        return array[[int(i), int(i) + 1, int(j), int(j) + 1]]

    def put_pairs(array, i, j, four):
        """Write elements i, i + 1, j and j + 1 of an array, which must be distinct."""
        array[[int(i), int(i) + 1, int(j), int(j) + 1]] = four

    def evens4(four):
        """Of a, b, c, d: a, a, c, c."""
        return four[[0, 0, 2, 2]]

    def odds4(four):
        """Of a, b, c, d: b, b, d, d."""
        return four[[1, 1, 3, 3]]

    def mix4(four, other):
        """The first and the third of four numbers, the second and the fourth of the others."""
        return np.array([four[0], other[1], four[2], other[3]])

    def same4(value):
        """One number four times."""
        return np.full(_N, value)

    def least4(four, other):
        """The smaller ones of two times four numbers; the first if they are equal."""
        return np.where(other < four, other, four)

    def sum4(four):
        """Sum of four numbers, in pairs."""
        return (four[0] + four[1]) + (four[2] + four[3])

    def pair_sums(four):
        """Of a, b, c, d: a + c and b + d."""
        return four[0] + four[2], four[1] + four[3]

    def below4(array, i, bound):
        """Whether four integers of an array, from i on, are in 0 .. bound - 1."""
        four = array[int(i) : int(i) + _N]
        return bool(four.min() >= 0 and four.max() < bound)

else:
    load4, store4, take_pairs, put_pairs = map(
        intrinsic, (_load4, _store4, _take_pairs, _put_pairs)
    )
    same4, evens4, odds4, mix4 = map(intrinsic, (_same4, _evens4, _odds4, _mix4))
    least4, sum4, pair_sums, below4 = map(intrinsic, (_least4, _sum4, _pair_sums, _below4))
