"""One of several loops, chosen by the types of the arguments before anything is compiled."""

from numba import njit, types
from numba.core.typing.templates import AbstractTemplate, infer_global

from stakes._core.jit import INNER


def let_types_choose(function, choose):
    """Let compiled callers of `function` call the loop that `choose` returns for their types.

    `numba.extending.overload` does this too, but compiles a loop once for callers with an entry
    from Python and once more for those without.
    """
    compiled = {}

    class Chosen(AbstractTemplate):
        key = function

        def generic(self, args, keywords):
            loop = choose(*args)
            if loop not in compiled:
                compiled[loop] = njit(**INNER)(loop)
            kind = types.Dispatcher(compiled[loop])
            made = kind.get_call_type(self.context, args, keywords)
            self.implementation = kind.get_overload(made)
            return made

        def get_impl_key(self, made):
            return self.implementation

    infer_global(function, types.Function(Chosen))
