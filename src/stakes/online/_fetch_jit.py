"""Compiled: prefetch an array element, a processor instruction that numba has no name for.

A learner that reads long sparse rows and stops now and then to update waits for memory at every
row. Prefetched a few rows ahead, data arrive in the meantime. An index past the end is harmless.
"""

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

_READ, _KEEP, _DATA = 0, 3, 1  # arguments of LLVM's prefetch: read, high locality, data cache


def _fetch(context, array, index):
    """Prefetch the element of a one-dimensional array at an index."""

    def generate(target, builder, signature, values):
        data = target.make_array(signature.args[0])(target, builder, values[0]).data
        bytes_type, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        place = builder.bitcast(builder.gep(data, [values[1]]), bytes_type)
        kind = ir.FunctionType(ir.VoidType(), [bytes_type, word, word, word])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [bytes_type], kind)
        builder.call(prefetch, [place, word(_READ), word(_KEEP), word(_DATA)])
        return target.get_dummy_value()

    return types.void(array, index), generate


def _pass(array, index):
    """Do nothing, where the compiler is disabled."""


fetch = _pass if config.DISABLE_JIT else intrinsic(_fetch)
