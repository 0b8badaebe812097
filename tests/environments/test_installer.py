import pytest

from rosettabench.environments.installer import advice, decisive

NETWORK = """Using Python 3.11.7 environment at: v
error: Request failed after 3 retries in 7.7s
  cause: Failed to fetch: `https://mirror/simple/six/`
  cause: client error (Connect)
  cause: failed to lookup address information: Name or service not known"""
BUILD = """  Building thing==1.0
error: The build backend returned an error
  cause: Call to `setuptools.build_meta` failed (exit status: 1)

         [stderr]
         Traceback (most recent call last):
         RuntimeError: no compiler here"""
DISK = "error: Failed to install: torch-2.13.0.whl\n  cause: No space left on device (os error 28)"


@pytest.mark.parametrize(
    ("said", "told", "advised"),
    [
        (NETWORK, "Request failed after 3 retries in 7.7s: failed to lookup address information", "network"),
        (BUILD, "The build backend returned an error: RuntimeError: no compiler here", "log"),
        (DISK, "Failed to install: torch-2.13.0.whl: No space left on device", "Free some space"),
        ("something else", "something else", "log"),
        ("", "it said nothing", "log"),
    ],
)
def test_of_a_failure_the_error_its_cause_and_a_way_out_are_told(said, told, advised):
    assert decisive(said.splitlines()).startswith(told)
    assert advised in advice(said.splitlines())
