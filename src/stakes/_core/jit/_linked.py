"""How loops that only compiled code calls are compiled: once, as a part of what calls them.

Numba compiles each function by itself and then again within each of its callers: it optimizes the
code and makes machine code of it at every level of calls. For a loop without an entry from Python
only the last of these is used. `LinkedCompiler` leaves out the others.
"""

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class LinkedLibrary(JITCodeLibrary):
    """Code that is only linked into that of its callers; there is no machine code of its own."""

    def finalize(self):
        for library in dict.fromkeys(self._linking_libraries):
            if hasattr(self, "_reload_init"):  # not in all versions of numba
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout

    def get_pointer_to_function(self, name):
        self._ensure_finalized()
        return 0

    @property
    def codegen(self):
        return self

    def set_env(self, env_name, env):
        """There is no environment, which only an entry from Python reads."""


class LinkedCompiler(Compiler):
    """Compile a function into a `LinkedLibrary`."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        if library is None:
            library = LinkedLibrary(targetctx.codegen(), "linked")
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)
