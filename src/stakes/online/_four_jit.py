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


def _place(target, builder, kind, values, index, as_four=False):
    """Address of an element of the array that is the first argument."""
    data = target.make_array(kind.args[0])(target, builder, values[0]).data
    place = builder.gep(data, [index])
    return builder.bitcast(place, _FOUR.as_pointer()) if as_four else place


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


def _take4(context, array, j0, j1, j2, j3):
    """Four elements of an array."""

    def generate(target, builder, kind, values):
        four = ir.Constant(_FOUR, ir.Undefined)
        for k, j in enumerate(values[1:]):
            value = builder.load(_place(target, builder, kind, values, j))
            four = builder.insert_element(four, value, _WORD(k))
        return four

    return FOUR_NUMBERS(array, j0, j1, j2, j3), generate


def _put4(context, array, j0, j1, j2, j3, four):
    """Write four elements of an array, which must be distinct."""

    def generate(target, builder, kind, values):
        for k, j in enumerate(values[1:5]):
            value = builder.extract_element(values[5], _WORD(k))
            builder.store(value, _place(target, builder, kind, values, j))
        return target.get_dummy_value()

    return types.void(array, j0, j1, j2, j3, four), generate


def _same4(context, value):
    """One number four times."""

    def generate(target, builder, kind, values):
        one = builder.insert_element(ir.Constant(_FOUR, ir.Undefined), values[0], _WORD(0))
        mask = ir.Constant(ir.VectorType(_WORD, _N), [0] * _N)
        return builder.shuffle_vector(one, ir.Constant(_FOUR, ir.Undefined), mask)

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


def _below4(context, array, i, bound):
    """Whether four int32 of an array, from i on, are in 0 .. bound - 1."""

    def generate(target, builder, kind, values):
        data = target.make_array(kind.args[0])(target, builder, values[0]).data
        whole = ir.VectorType(_WORD, _N)
        place = builder.bitcast(builder.gep(data, [values[1]]), whole.as_pointer())
        found = builder.load(place, align=4)
        short = builder.trunc(values[2], _WORD)
        one = builder.insert_element(ir.Constant(whole, ir.Undefined), short, _WORD(0))
        bounds = builder.shuffle_vector(
            one, ir.Constant(whole, ir.Undefined), ir.Constant(whole, [0] * _N)
        )
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

    def take4(array, *columns):
        """Four elements of an array."""
        return array[np.array(columns, np.int64)]

    def put4(array, *columns_and_four):
        """Write four elements of an array, which must be distinct."""
        *columns, four = columns_and_four
        array[np.array(columns, np.int64)] = four

    def same4(value):
        """One number four times."""
        return np.full(_N, value)

    def least4(four, other):
        """The smaller ones of two times four numbers; the first if they are equal."""
        return np.where(other < four, other, four)

    def sum4(four):
        """Sum of four numbers, in pairs."""
        return (four[0] + four[1]) + (four[2] + four[3])

    def below4(array, i, bound):
        """Whether four integers of an array, from i on, are in 0 .. bound - 1."""
        four = array[int(i) : int(i) + _N]
        return bool(four.min() >= 0 and four.max() < bound)

else:
    load4, store4, take4, put4 = (intrinsic(f) for f in (_load4, _store4, _take4, _put4))
    same4, least4, sum4, below4 = (intrinsic(f) for f in (_same4, _least4, _sum4, _below4))
