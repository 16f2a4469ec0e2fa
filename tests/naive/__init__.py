"""Slow references, each reached by another road than the code that it checks."""
