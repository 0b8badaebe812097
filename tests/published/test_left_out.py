"""What a run leaves out is told once for all settings of a workload and one reason."""

from rosettabench.plan.left_out import sentences
from rosettabench.plan.request import LeftOut
from rosettabench.plan.setting import Setting

LONG = "no time for it within 10 min"


def left_out(workload, batch_size, why=LONG, asked=None, **axes):
    setting = Setting(batch_size, "cpu", "float32", 0, 2, **axes).as_json()
    return LeftOut(workload=workload, setting=setting, why=why, asked=asked)


def test_one_setting():
    assert sentences([left_out("imdb-gru", 64)]) == [f"imdb-gru, batch size 64: {LONG}"]
    assert sentences([left_out("imdb-gru", 64, asked=0)]) == [f"imdb-gru, batch size 64: {LONG}; no claim asked for it"]
    assert sentences([left_out("imdb-gru", 64, asked=1)])[0].endswith("; one claim asked for it")


def test_many_settings_are_one_sentence():
    many = [
        left_out("imdb-lstm", size, asked=size // 64, input="loader", workers=workers)
        for size in (64, 128, 256)
        for workers in (0, 2)
    ]
    assert sentences(many) == [
        f"imdb-lstm, 6 settings (batch size 64, 128 or 256; input loader; workers 0 or 2): {LONG}; "
        "1 to 4 claims asked for each"
    ]


def test_workloads_and_reasons_are_told_apart():
    memory = "its 2 contenders need about 30.0 GB at once; 20.0 GB are free"
    some = [left_out("imdb-lstm", 64), left_out("imdb-gru", 64), left_out("imdb-lstm", 1024, memory)]
    assert sentences(some) == [
        f"imdb-lstm, batch size 64: {LONG}",
        f"imdb-gru, batch size 64: {LONG}",
        f"imdb-lstm, batch size 1024: {memory}",
    ]


def test_a_device_is_named_where_there_are_several():
    cpu = left_out("imdb-gru", 64)
    gpu = cpu.model_copy(update={"setting": {**cpu.setting, "device": "cuda"}})
    assert "device cpu or cuda" in sentences([cpu, gpu])[0]
    assert "device" not in sentences([cpu])[0]
