"""Compiled primitives that several families share."""

# For a loop that only compiled code calls: no entry from Python is compiled, a fifth of the time.
# Calling such a function from Python would crash; tests/_core/test_inner.py looks for calls.
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
