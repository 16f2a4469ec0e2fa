"""Ask for memory before it is needed: one processor instruction, which numba has no name for.

A learner that reads long sparse rows and now and then stops to learn waits for memory at every row;
asked a few rows ahead, the memory comes meanwhile. Past the end of an array it does nothing.
"""

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

_READ, _KEEP, _DATA = 0, 3, 1  # the arguments of LLVM's prefetch


def _fetch(context, array, index):
    """Ask for the element of a one-dimensional array at an index."""

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
    """Without the compiler there is nothing to ask."""


fetch = _pass if config.DISABLE_JIT else intrinsic(_fetch)
