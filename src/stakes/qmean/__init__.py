"""Quadratic-mean learning for skewed classes and targets."""

__all__ = []
