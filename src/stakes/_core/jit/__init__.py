"""Compiled primitives that several families share, and how they are compiled."""

import gc

import numba
from numba.core import event

# For a loop that only compiled code calls: no entry from Python is compiled, a fifth of the time.
# Calling such a function from Python would crash; tests/_core/test_inner.py looks for calls.
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
NEWEST_LINKED = (0, 68)  # `_linked` relies on numba's internals; a later numba compiles as usual
if numba.version_info.short <= NEWEST_LINKED:
    from stakes._core.jit._linked import LinkedCompiler

    INNER["pipeline_class"] = LinkedCompiler
# For a loop that Python calls: no entry from C is compiled, which nobody uses.
ENTRY = {"no_cfunc_wrapper": True}


class _CollectorPause(event.Listener):
    """Pause Python's garbage collector while numba compiles.

    Compiling makes millions of small objects, so that the collector keeps searching all of them: a
    tenth to a fifth of the time of a first fit.
    """

    def __init__(self):
        self.depth, self.was_enabled = 0, False

    def on_start(self, event):
        if self.depth == 0:
            self.was_enabled = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event):
        self.depth -= 1
        if self.depth == 0 and self.was_enabled:
            gc.enable()


event.register("numba:compile", _CollectorPause())  # numba holds a lock while it compiles
