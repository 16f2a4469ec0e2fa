"""Figures of a service for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)


class Metrics:
    """Counters that requests add to, and gauges that are read from the service when asked for."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self):
        self._registry = CollectorRegistry()
        self._answers = Counter(
            "stakes_answers", "Answers by kind.", ["kind"], registry=self._registry
        )
        self._refused = Counter(
            "stakes_refused", "Refused requests by status.", ["status"], registry=self._registry
        )
        self._seconds = Histogram(
            "stakes_seconds",
            "Seconds from request to answer.",
            ["path"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._money = Gauge(
            "stakes_money",
            "Cost of the labeled events, as decided and under constant policies.",
            ["model", "policy"],
            registry=self._registry,
        )
        self._alarms = Gauge("stakes_alarms", "Alarms on the page.", registry=self._registry)
        self._counts = Gauge(
            "stakes_events", "Events, labels, open reviews.", ["what"], registry=self._registry
        )

    def answered(self, path, answers, seconds):
        """Count the answers to one request."""
        kinds = [
            getattr(answer, "action", None) or getattr(answer, "status", "refused")
            for answer in answers
        ]
        for kind in set(kinds):
            self._answers.labels(kind).inc(kinds.count(kind))
        self._seconds.labels(path).observe(seconds)

    def refused(self, status):
        """Count a request that was refused."""
        self._refused.labels(str(status)).inc()

    def text(self, report, n_alarms):
        """Everything in Prometheus' format, given the totals and alarms of the service."""
        for name, money in report.models.items():
            for policy in ("paid", "never", "always"):
                self._money.labels(name, policy).set(getattr(money, policy))
        champion = report.models[report.champion]
        for what in ("events", "labels", "positives"):
            self._counts.labels(what).set(getattr(champion, what))
        self._counts.labels("open reviews").set(report.open_reviews)
        self._alarms.set(n_alarms)
        return generate_latest(self._registry)
