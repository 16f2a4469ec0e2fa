"""How every command ends: one line on stderr and an exit code, never a traceback."""

import functools
import os

import typer

from stakes.errors import InputError

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


def guarded(command):
    """Turn the exceptions of a command into a message and an exit code.

    If `STAKES_DEBUG` is set in the environment, the traceback of a failure is shown as well.
    """

    @functools.wraps(command)
    def run(*args, **kwargs):
        try:
            return command(*args, **kwargs)
        except InputError as error:
            _end(error.for_command_line(), BAD_INPUT)
        except KeyboardInterrupt as stopped:
            _end(str(stopped) or "Interrupted.", INTERRUPTED)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python complains on leaving
            raise typer.Exit(FAILED) from None
        except (OSError, MemoryError) as error:
            _end(f"System error: {str(error) or 'not enough memory'}.", FAILED)
        except typer.Exit:
            raise
        except Exception as error:
            if os.environ.get("STAKES_DEBUG"):
                raise
            what = " ".join(str(error).split())[:500]
            _end(
                f"stakes failed with {type(error).__name__}: {what} (probably a bug; set "
                "STAKES_DEBUG=1 to see the traceback).",
                FAILED,
            )

    return run


def _end(sentence, code):
    typer.echo(" ".join(sentence.split()), err=True)
    raise typer.Exit(code) from None
