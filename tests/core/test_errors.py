"""Exit codes are a contract: 2 usage, 3 a check failed, 4 partial, 5 everything withheld."""

from __future__ import annotations

import pytest

from gpurent.core import errors


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageError, 2),
        (errors.NotFoundError, 2),
        (errors.ConfigError, 2),
        (errors.LockedError, 2),
        (errors.SourceError, 3),
        (errors.CheckFailedError, 3),
        (errors.EditionDiffersError, 3),
        (errors.PartialError, 4),
        (errors.AllWithheldError, 5),
    ],
)
def test_each_error_ends_with_its_code(error: type[errors.GpurentError], code: int) -> None:
    assert issubclass(error, errors.GpurentError)
    assert error.exit_code == code


def test_a_source_error_carries_the_reason_of_its_rejection() -> None:
    error = errors.SourceError("not_json", "line 1: expected a value")
    assert (error.reason_code, error.detail) == ("not_json", "line 1: expected a value")
    assert str(error) == "not_json: line 1: expected a value"
