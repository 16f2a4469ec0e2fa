"""Results of a long run, a line of a file each, so that an interrupted run can be resumed."""

import hashlib
import json
from pathlib import Path


class StoredRows:
    """JSON values by key, kept in a file.

    Parameters
    ----------
    path : path or None
        The file; what it contains is not computed again. None: nothing is saved. If a key occurs
        twice, the later line counts.

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
                self.known[row["key"]] = row

    def get(self, key, compute, code=None):
        """The value of a key, from the file or computed now and appended to it.

        `code`, a function, returns the fingerprint of today's code; a row of another code is
        computed again. It is called only if there is a file.
        """
        row = {"key": key}
        if self.path is not None and code is not None:
            row["code"] = code()
        known = self.known.get(key)
        if known is None or known.get("code") != row.get("code"):
            row["value"] = compute()
            self.known[key] = known = row
            if self.path is not None:
                with self.path.open("a") as file:
                    file.write(json.dumps(row) + "\n")
        return known["value"]


def fingerprint(value):
    """Short digest of a result, with numbers to six digits.

    Examples
    --------
    >>> fingerprint([1 / 3, {"a": 2}]) == fingerprint([0.3333333, {"a": 2}])
    True
    """
    rounded = json.loads(json.dumps(value), parse_float=lambda number: f"{float(number):.6g}")
    return hashlib.sha256(json.dumps(rounded).encode()).hexdigest()[:8]
