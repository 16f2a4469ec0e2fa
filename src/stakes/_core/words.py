"""How amounts, values and tables are written in reports, pages, figures and messages."""

import numpy as np


def shown(value):
    """A value for a message, as one would write it in Python: no types of numpy.

    Examples
    --------
    >>> shown(np.int64(0)), shown([np.str_("a"), np.float64(0.5)]), shown(np.array([1, 2]))
    ('0', "['a', 0.5]", '[1, 2]')
    """
    return repr(_plain(value))


def _plain(value):
    if isinstance(value, np.datetime64 | np.timedelta64):
        return str(value)
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if type(value) in (list, tuple):
        return type(value)(map(_plain, value))
    return value


def money(amount):
    """An amount with as many digits as a person reads.

    Examples
    --------
    >>> [money(amount) for amount in (12345.6, 40.9, 0.01234, -0.0)]
    ['12,346', '40.90', '0.0123', '0']
    """
    if abs(amount) >= 100:
        return f"{amount:,.0f}"
    if abs(amount) >= 1:
        return f"{amount:.2f}"
    # rounding first: what is zero but for floating-point noise is written as 0, without a sign
    return f"{round(float(amount), 10) + 0.0:.3g}"


def count(number):
    """A number of cases that need not be whole, such as a mean: digits only where they matter.

    Examples
    --------
    >>> [count(number) for number in (1234.0, 10.4, 9.6)]
    ['1,234', '10', '9.6']
    """
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


def markdown_table(head, rows, *, numbers=False):
    """A Markdown table of strings; `numbers` aligns all columns but the first to the right.

    Examples
    --------
    >>> print(markdown_table(["learner", "cost"], [["a", "12"]], numbers=True))
    | learner | cost |
    | --- | ---: |
    | a | 12 |
    """
    rule = ["---"] + ["---:" if numbers else "---"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *rows])
