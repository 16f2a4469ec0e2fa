"""One value of a raw table: missing, number, true/false or text. Files and streams agree on it."""

import math
import re

# Fields of a CSV that are missing values in any column, next to the empty field.
MISSING_WORDS = frozenset(["NA", "N/A", "NaN", "nan", "null", "NULL", "?"])
# In a column of numbers, dates or true/false these (lower case) are missing values as well; in a
# text column they may be categories.
NO_VALUE = ["", "na", "n/a", "nan", "null", "none", "missing", "unknown", "-", "--", ".", "?"]
# $1,234.50: sign, optional currency, digits in groups of three
GROUPED_NUMBER = r"^([+-]?)[$€£¥]?\s?(\d{1,3}(?:,\d{3})+|\d+)(\.\d*)?\s?[$€£¥]?$"

_GROUPED = re.compile(GROUPED_NUMBER, re.ASCII)
_OF_NUMBERS = frozenset("0123456789+-.")
_BOOLEANS = {"true": True, "false": False}


def is_missing(value):
    """Whether a value counts as missing: None, NaN, blank text or a word such as NA.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), " ", "NA", "none", 0)]
    [True, True, True, True, False, False]
    """
    if isinstance(value, str):
        return value in MISSING_WORDS or not value or value.isspace()
    return value is None or value != value


def parse_value(text):
    """The value of one CSV field: None, float, bool or the text itself.

    The same field in a column that :func:`read_table` parses gives the same value, except that a
    column is only numeric if every field in it is, and that dates stay text here.

    Examples
    --------
    >>> [parse_value(text) for text in ("12", "$1,234.50", "TRUE", "?", "gold")]
    [12.0, 1234.5, True, None, 'gold']
    """
    if text[:1] not in _OF_NUMBERS and is_missing(text):  # no missing word begins like a number
        return None
    number = parse_number(text)
    if number is not None:
        return number
    return _BOOLEANS.get(text.strip().lower(), text)


def parse_number(text):
    """The number that a text stands for, None if it is not one.

    Examples
    --------
    >>> parse_number(" 1e3"), parse_number("1,234"), parse_number("1,23")
    (1000.0, 1234.0, None)
    """
    try:
        number = float(text)
    except ValueError:
        found = _GROUPED.match(text.strip())
        if found is None:
            return None
        sign, whole, fraction = found.groups(default="")
        return float(sign + whole.replace(",", "") + fraction)
    # float() also takes 1_000 and digits of other scripts, which a table does not
    if "_" in text or not text.isascii() or math.isnan(number):
        return None
    return number
