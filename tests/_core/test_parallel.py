"""Results of parallel tasks as they finish, also on backends that cannot stream them."""

import joblib
import pytest
from joblib._parallel_backends import ThreadingBackend

from stakes._core.parallel import ROUND, as_finished


class WholeRounds(ThreadingBackend):
    """A backend like those of Ray and Spark: results come when all tasks are finished."""

    supports_return_generator = False


joblib.register_parallel_backend("whole rounds", WholeRounds)


@pytest.mark.parametrize("backend", ["whole rounds", "threading", "sequential"])
@pytest.mark.parametrize("n", [0, 1, 8, 17])
def test_every_task_runs_once(backend, n):
    done = []

    def task(k):
        done.append(k)
        return k

    with joblib.parallel_config(backend):
        results = list(as_finished((joblib.delayed(task)(k) for k in range(n)), n_jobs=2))
    assert sorted(results) == sorted(done) == list(range(n))


def test_results_come_after_each_round_and_tasks_are_drawn_late():
    drawn = []

    def tasks():
        for k in range(20):
            drawn.append(k)
            yield joblib.delayed(abs)(k)

    with joblib.parallel_config("whole rounds"):
        results = as_finished(tasks(), n_jobs=2)
        first = next(results)
        assert first == 0 and len(drawn) == 2 * ROUND
        assert sorted([first, *results]) == drawn == list(range(20))


def test_an_error_of_a_task_is_raised():
    with joblib.parallel_config("whole rounds"), pytest.raises(ValueError, match="invalid literal"):
        list(as_finished([joblib.delayed(int)("a")], n_jobs=2))


def test_other_errors_of_joblib_are_not_hidden():
    with pytest.raises(ValueError, match="n_jobs == 0"):
        list(as_finished([joblib.delayed(abs)(1)], n_jobs=0))
