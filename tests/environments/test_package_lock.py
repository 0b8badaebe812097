import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.utils import canonicalize_name
from wheels import write_lock

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.environments import lock as lock_module
from rosettabench.environments.lock import all_locks, is_exact, load_lock, read_lock
from rosettabench.errors import EnvironmentFault, UsageError


@pytest.mark.parametrize("lock", all_locks(), ids=lambda lock: lock.path.stem)
def test_our_locks_are_exact_sorted_and_without_doubles(lock):
    names = [canonicalize_name(requirement.partition("==")[0]) for requirement in lock.requirements]
    assert names == sorted(set(names))
    assert "numpy" in lock.pins
    assert "nvidia" not in lock.path.read_text()


def test_every_lock_that_a_framework_names_is_there():
    named = {name for entry in all_frameworks().values() for name in entry.locks}
    assert named <= {lock.name for lock in all_locks()}


def test_the_digest_is_that_of_what_is_installed(tmp_path):
    path = write_lock(tmp_path, "a@1", "b==2", "c==3", python="3.11")
    digest = read_lock(path).digest
    path.write_text("# python: 3.11\n# anything\n\nc==3\nb==2\n")
    assert read_lock(path).digest == digest
    path.write_text("# python: 3.11\nc==3\nb==2.1\n")
    assert read_lock(path).digest != digest
    assert read_lock(write_lock(tmp_path, "a@1", "b==2", "c==3", python="3.12")).digest != digest


@pytest.mark.parametrize(
    "requirement",
    ["numpy", "numpy>=2", "numpy==2.*", "numpy==2,!=2.1", "numpy @ file:///x.whl", "-e .", "a==1; os_name=='nt'"],
)
def test_whatever_is_no_exact_version_is_refused_by_name(tmp_path, requirement):
    path = write_lock(tmp_path, "a@1", requirement, python="3.11")
    with pytest.raises(EnvironmentFault) as fault:
        read_lock(path)
    assert str(path) in fault.value.what
    assert repr(requirement) in fault.value.what


@given(st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True), st.lists(st.integers(0, 99), min_size=1, max_size=4))
def test_every_plain_pin_is_exact(name, version):
    assert is_exact(f"{name}=={'.'.join(map(str, version))}")


def test_a_header_that_contradicts_the_name_is_refused(tmp_path):
    path = tmp_path / "a@1-py3.12.txt"
    path.write_text("# python: 3.11\nb==2\n")
    with pytest.raises(EnvironmentFault, match="agree on Python"):
        read_lock(path)


def test_names_mean_the_newest_python_and_may_say_which(tmp_path, monkeypatch):
    monkeypatch.setattr(lock_module, "OURS", tmp_path)
    monkeypatch.setattr(lock_module, "catalogue_roots", lambda: ())
    for python in ("3.9", "3.11"):
        write_lock(tmp_path, "a@1", "b==2", python=python)
    assert load_lock("a@1").python == "3.11"
    assert load_lock("a@1-py3.9").python == "3.9"


def test_an_unknown_lock_gets_the_nearest_offered():
    with pytest.raises(UsageError) as error:
        load_lock("pytorch@2.13")
    assert "'pytorch@2.13.0'" in error.value.hint


def test_other_packages_add_locks(tmp_path, monkeypatch):
    write_lock(tmp_path / "locks", "theirs@1", "b==2", python="3.11")
    monkeypatch.setattr(lock_module, "catalogue_roots", lambda: (tmp_path,))
    assert load_lock("theirs@1").requirements == ("b==2",)
