"""Errors that a user can fix, and a warning about learners that lose money."""

import difflib


class InputError(ValueError):
    r"""Invalid input: one sentence that names the problem and the way out.

    The message may mention parameters as ``{parameter}`` or by their names in braces; they are
    shown as Python spells them, or as options by :meth:`for_command_line`.

    Parameters
    ----------
    message : str
        What is wrong and what to do.
    parameter : str or tuple of str, default=None
        The parameter that the message is about; several where it names several.

    Examples
    --------
    >>> raise InputError("There is no file 'a.csv'; check the path.")
    Traceback (most recent call last):
    stakes.errors.InputError: There is no file 'a.csv'; check the path.
    >>> error = InputError("{fn_cost} is smaller than {tp_cost}.", ("fn_cost", "tp_cost"))
    >>> print(error, error.for_command_line(), sep="\n")
    fn_cost is smaller than tp_cost.
    --fn-cost is smaller than --tp-cost.
    """

    def __init__(self, message, parameter=None):
        self.message = message
        self.parameter = parameter
        super().__init__(self._spelled(str))

    def for_command_line(self):
        """The message with parameters spelled as options."""
        return self._spelled(lambda name: f"--{name.replace('_', '-')}")

    def with_context(self, context):
        """The same error with words in front that say where it happened."""
        return InputError(f"{context}{self.message}", self.parameter)

    def _spelled(self, spell):
        names = (self.parameter,) if isinstance(self.parameter, str) else self.parameter or ()
        text = self.message.replace("{parameter}", spell(names[0])) if names else self.message
        for name in names:
            text = text.replace(f"{{{name}}}", spell(name))
        return text


class BelowTrivialWarning(UserWarning):
    """A learner's decisions cost more than the best constant policy."""


def near_matches(name, names, limit=12):
    """End a sentence about an unknown name: the likely intended names, or the available ones.

    Examples
    --------
    >>> near_matches("amuont", ["amount", "age"])
    "did you mean 'amount'?"
    >>> near_matches("zzz", ["amount", "age"])
    "there are 'amount' and 'age'."
    """
    names = [str(one) for one in names]
    folded = {one.strip().casefold(): one for one in reversed(names)}
    close = difflib.get_close_matches(str(name).strip().casefold(), folded, n=3, cutoff=0.6)
    if close:
        return f"did you mean {_listed([folded[one] for one in close], 'or')}?"
    if not names:
        return "there are none."
    shown = [*map(repr, names[:limit])]
    if len(names) > limit:
        return f"there are {', '.join(shown)} and {len(names) - limit} more."
    return f"there {'is' if len(names) == 1 else 'are'} {_listed(names, 'and')}."


def _listed(names, word):
    shown = [*map(repr, names)]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {word} {shown[-1]}"
