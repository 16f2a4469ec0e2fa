"""Where the papers' public data sets are, and what to say if they are not at hand."""

import os
from pathlib import Path

from stakes.errors import InputError

PAGE = "docs/reproductions/data.md"


class DataMissing(InputError):
    """The public data sets are not at hand."""


def data_directory(data=None):
    """Where the files are: the argument, else STAKES_DATA."""
    where = data or os.environ.get("STAKES_DATA")
    if not where or not Path(where).is_dir():
        looked = f"there is no folder {str(where)!r}" if where else "STAKES_DATA is not set"
        raise DataMissing(
            f"The public data sets are not at hand ({looked}): put the files that {PAGE} lists "
            "into a folder and name it by --data or STAKES_DATA."
        )
    return Path(where)


def data_file(data, name):
    """The path of one file in that folder."""
    path = data_directory(data) / name
    if not path.is_file():
        raise DataMissing(f"There is no {name} in {str(path.parent)!r}: {PAGE} says what it is.")
    return path
