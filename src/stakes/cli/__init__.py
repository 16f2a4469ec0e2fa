"""The command line: one thin file per command; nothing heavy is loaded before a command runs."""

__all__ = ["main"]


def main():
    """Run `stakes`."""
    from stakes.cli._app import app

    app(prog_name="stakes")
