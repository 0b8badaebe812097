"""What a workload states about its recurrent layers, its series and its dropout: what contradicts itself is refused."""

import shutil

import pytest

from rosettabench.catalogue.workload import all_workloads, find_workload, read_workload
from rosettabench.errors import UsageError

STATED = [
    ("imdb-gru", 'reset = "after"', "", r'a GRU states reset = "after" or "before"'),
    ("imdb-lstm", 'kind = "lstm"', 'kind = "lstm"\nreset = "after"', "an LSTM has no reset gate"),
    ("imdb-lstm", "[recurrent.lstm]", "[recurrent.lstm3]", "recurrent names layers without tensors: lstm3"),
    ("deepar-monash", "series = true\n", "", r"series = true belongs to the sets monash-…"),
    ("shakespeare-gpt:gpu", "heads = 6\n", "", "attention is to state heads and epsilon"),
    ("shakespeare-gpt:gpu", "down = 0.2\n", "", "states embedding, attention, projection, down, in this order"),
    ("imdb-lstm", 'set = "imdb"', 'set = "imdb"\nseries = true', r"series = true belongs to the sets monash-…"),
]


@pytest.mark.parametrize(("name", "stated", "other", "why"), STATED)
def test_what_contradicts_itself_is_refused(tmp_path, name, stated, other, why):
    folder = shutil.copytree(find_workload(name).folder, tmp_path / find_workload(name).folder.name)
    statement = folder / "workload.toml"
    text = statement.read_text()
    assert stated in text
    statement.write_text(text.replace(stated, other))
    with pytest.raises(UsageError, match=why):
        read_workload(statement)


def test_every_recurrent_kernel_belongs_to_a_layer_that_is_stated():
    for workload in all_workloads().values():
        kernels = {one.name.partition(".")[0] for one in workload.tensors if one.name.endswith(".recurrent_kernel")}
        assert kernels == set(workload.recurrent), workload.name
