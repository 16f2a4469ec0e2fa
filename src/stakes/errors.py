"""The error that a user can mend: one sentence that names the thing and the way out."""


class InputError(ValueError):
    """Wrong input from the user; the command line prints its sentence and exits with 2."""
