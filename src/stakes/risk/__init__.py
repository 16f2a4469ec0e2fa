"""Tail risk: VaR, CVaR, worst-case factors, streaming CVaR."""

__all__ = []
