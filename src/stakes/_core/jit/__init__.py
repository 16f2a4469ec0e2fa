"""Compiled primitives that several families share."""
