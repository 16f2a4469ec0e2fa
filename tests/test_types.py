"""Types: the stubs are those of the code, every public name has one, and the package is marked."""

import inspect

import pytest

import stakes
import stubs

STUBS = stubs.stubs()


@pytest.mark.parametrize("path", STUBS, ids=lambda path: str(path.relative_to(stubs.SOURCE)))
def test_the_stub_is_that_of_the_code(path):
    assert path.is_file() and path.read_text() == STUBS[path], "run python tests/stubs.py"


def test_the_package_is_marked_and_most_arguments_have_a_type():
    assert (stubs.SOURCE / "py.typed").is_file()
    text = "".join(STUBS.values())
    arguments = text.count(": ArrayLike") + text.count(": float") + text.count(": int")
    assert arguments > 1000
    assert len(STUBS) == len(stakes.__all__) - len(stubs.HIDDEN)


def test_what_docstrings_say_becomes_types():
    def example(X, loss="a", k=None):
        """Do something.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Rows.
        loss : {"a", "b"} or None, default="a"
            Which.
        k : int, default=None
            How many.

        Returns
        -------
        ndarray of shape (n,)
            Values.
        """

    made = stubs._function("example", inspect.unwrap(example), set())
    expected = 'X: Any, loss: Literal["a", "b"] | None = ..., k: int | None = ...'
    assert made == f"def example({expected}) -> NDArray[Any]: ..."
