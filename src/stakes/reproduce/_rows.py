"""Results of a long run, a line of a file each, so that an interrupted run can be resumed."""

import json
from pathlib import Path


class StoredRows:
    """JSON values by key, kept in a file.

    Parameters
    ----------
    path : path or None
        The file; what it contains is not computed again. None: nothing is saved.

    Examples
    --------
    >>> rows = StoredRows(None)
    >>> rows.get("a", lambda: 1), rows.get("a", lambda: 2)
    (1, 1)
    """

    def __init__(self, path=None):
        self.path, self.known = None if path is None else Path(path), {}
        if self.path is not None and self.path.exists():
            for line in self.path.read_text().splitlines():
                try:
                    row = json.loads(line)
                except ValueError:
                    break  # cut off by a crash
                self.known[row["key"]] = row["value"]

    def get(self, key, compute):
        """The value of a key, from the file or computed now and appended to it."""
        if key not in self.known:
            self.known[key] = compute()
            if self.path is not None:
                with self.path.open("a") as file:
                    file.write(json.dumps({"key": key, "value": self.known[key]}) + "\n")
        return self.known[key]
