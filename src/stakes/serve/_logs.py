"""Structured logs: one JSON object a line."""

import json
import logging
import sys


class JsonLines(logging.Formatter):
    """A record as a JSON object: time, level, message and the record's facts.

    Examples
    --------
    >>> record = logging.makeLogRecord({"msg": "promoted", "created": 0.0, "levelname": "INFO"})
    >>> record.facts = {"model": "probit"}
    >>> JsonLines().format(record)
    '{"at": 0.0, "level": "INFO", "message": "promoted", "model": "probit"}'
    """

    def format(self, record):
        """The line of a record."""
        line = {"at": record.created, "level": record.levelname, "message": record.getMessage()}
        line |= getattr(record, "facts", {})
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def log_to_stderr():
    """Write the log of the service to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("stakes.serve")
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(logging.INFO)
