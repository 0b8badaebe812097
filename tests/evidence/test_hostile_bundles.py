"""A bundle is hostile until it is checked: each attack is one sentence and the exit code 4."""

import json
import re
import warnings
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest

from rosettabench.errors import DataError
from rosettabench.evidence import archive
from rosettabench.evidence.archive import MANIFEST, manifest, pack, unpack


def zipped(parts, method=ZIP_STORED):
    """Return a ZIP of (name, content) pairs, whatever they are."""
    file = BytesIO()
    with warnings.catch_warnings(), ZipFile(file, "w", method) as made:
        warnings.simplefilter("ignore")  # zipfile warns of the name that is there twice
        for name, part in parts:
            made.writestr(name, part)
    return file.getvalue()


def signed(members):
    """Return a ZIP of changed members with a manifest that fits them."""
    return pack(members)


def edited(members, name, change):
    """Return the members with `change` made to the data of the JSON member `name`."""
    value = json.loads(members[name])
    change(value)
    return {**members, name: json.dumps(value)}


def check(rosetta, tmp_path, content):
    """Return what `rosetta repeat --check` says of a file, which it must refuse in one sentence."""
    (tmp_path / "run.zip").write_bytes(content)
    code, out, err = rosetta("repeat", "--check", "run.zip")
    assert code == 4, err
    assert err.startswith("error: ") and "unexpected error" not in err
    assert len(err.splitlines()) == 2, "one sentence, and what to do"
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", out + err)
    return err


@pytest.mark.parametrize("content", [b"", b"no zip at all", b"PK\x03\x04" + bytes(60), b"PK\x05\x06" + bytes(18)])
def test_no_zip(rosetta, tmp_path, content):
    assert "it is not a bundle" in check(rosetta, tmp_path, content)


def test_a_file_cut_off(rosetta, tmp_path, content):
    assert "it is not a bundle" in check(rosetta, tmp_path, content[: len(content) // 2])


def test_no_file(rosetta):
    code, _, err = rosetta("repeat", "--check", "nowhere.zip")
    assert code == 4
    assert "nowhere.zip cannot be read: No such file" in err


@pytest.mark.parametrize("name", ["../../etc/cron.d/x", "/etc/passwd", "locks/../../x", "..\\x", "a/../../b"])
def test_a_name_that_leads_out(rosetta, tmp_path, members, name):
    err = check(rosetta, tmp_path, zipped([(MANIFEST, manifest(members)), *members.items(), (name, "x")]))
    assert "leads out of it" in err
    assert [path.name for path in tmp_path.iterdir()] == ["run.zip"]


@pytest.mark.parametrize(
    "name", ["run.sh", "pickle.pkl", "certificates/", "\x1b[2Jx", "locks/\u202etxt.exe", "x" * 999]
)
def test_a_surplus_member(rosetta, tmp_path, members, name):
    err = check(rosetta, tmp_path, zipped([(MANIFEST, manifest(members)), *members.items(), (name, "x")]))
    assert "surplus member" in err


def test_a_surplus_member_with_a_good_name(rosetta, tmp_path, members):
    err = check(rosetta, tmp_path, zipped([(MANIFEST, manifest(members)), *members.items(), ("more.json", "{}")]))
    assert "surplus member: more.json" in err


@pytest.mark.parametrize("gone", ["blocks.csv", "run.json", "README.txt"])
def test_a_missing_member(rosetta, tmp_path, members, gone):
    listed = manifest(members)
    del members[gone]
    assert "lacks" in check(rosetta, tmp_path, zipped([(MANIFEST, listed), *members.items()]))
    assert f"lacks {gone}" in check(rosetta, tmp_path, signed(members)), "the manifest does not list it either"


@pytest.mark.parametrize("folder", ["certificates/", "locks/"])
def test_a_missing_certificate_or_lock(rosetta, tmp_path, members, folder):
    del members[next(name for name in members if name.startswith(folder))]
    assert "is missing" in check(rosetta, tmp_path, signed(members))


def test_a_surplus_lock(rosetta, tmp_path, members):
    members["locks/evil@1.0.txt"] = "evil==1.0\n"
    assert "the lock evil@1.0 is surplus" in check(rosetta, tmp_path, signed(members))


def test_two_members_of_one_name(rosetta, tmp_path, members):
    parts = [(MANIFEST, manifest(members)), *members.items(), ("blocks.csv", "other")]
    assert "two members of the name blocks.csv" in check(rosetta, tmp_path, zipped(parts))


def test_no_manifest(rosetta, tmp_path, members):
    assert "manifest.json is missing" in check(rosetta, tmp_path, zipped(members.items()))


def test_a_zip_bomb_is_not_unpacked(rosetta, tmp_path, members):
    parts = [(MANIFEST, manifest(members)), ("blocks.csv", bytes(2**28))]
    content = zipped(parts, ZIP_DEFLATED)
    assert len(content) < 2**20
    assert "is compressed" in check(rosetta, tmp_path, content)


def test_members_that_overlap_are_not_read(members):
    content = bytearray(zipped([(MANIFEST, manifest(members)), ("blocks.csv", "x" * 5000)]))
    place = content.rindex(b"PK\x01\x02")
    for offset in (20, 24):  # both sizes in the directory
        content[place + offset : place + offset + 4] = (2**31).to_bytes(4, "little")
    with pytest.raises(DataError, match="more bytes than the file has"):
        unpack(bytes(content))


def test_too_large_a_file_is_not_read(rosetta, tmp_path, content, monkeypatch):
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    assert "larger than any bundle" in check(rosetta, tmp_path, content)


def test_too_many_members(rosetta, tmp_path, content, monkeypatch):
    monkeypatch.setattr(archive, "MOST_MEMBERS", 3)
    assert "more than 3 members" in check(rosetta, tmp_path, content)


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({"format": "rosettabench-run", "version": 2}, "has version 2 of the format; this Rosettabench reads 1"),
        ({"format": "rosettabench-run", "version": "\x1b[2J"}, "has version"),
        ({"format": "other", "version": 1}, "names another format"),
        ({"format": "rosettabench-run", "version": 1}, "lists no members"),
        ({"format": "rosettabench-run", "version": 1, "members": {"../x": 1}}, "lacks"),
        ([1], "names another format"),
    ],
)
def test_another_format(rosetta, tmp_path, members, stated, said):
    text = json.dumps(stated, ensure_ascii=True)
    err = check(rosetta, tmp_path, zipped([(MANIFEST, text), *members.items()]))
    assert said in err or "control character" in err


def test_a_changed_member_is_named(rosetta, tmp_path, members):
    listed = manifest(members)
    members["blocks.csv"] = members["blocks.csv"].replace("1", "2", 1)
    err = check(rosetta, tmp_path, zipped([(MANIFEST, listed), *members.items()]))
    assert "blocks.csv was changed: its SHA-256 is not the one in the manifest" in err


def test_a_manifest_written_otherwise(rosetta, tmp_path, members):
    text = json.dumps(json.loads(manifest(members)))
    err = check(rosetta, tmp_path, zipped([(MANIFEST, text), *members.items()]))
    assert "not written as rosetta export-run writes it" in err


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 400, "9" * 5000])
def test_a_number_that_is_not_finite_or_huge(rosetta, tmp_path, members, word):
    members["run.json"] = members["run.json"].replace('"cores": ', f'"cores": {word}, "x": ', 1)
    err = check(rosetta, tmp_path, signed(members))
    assert "not finite" in err or "digits" in err


@pytest.mark.parametrize("word", ["inf", "nan", "-1.0", "", "1e999", "a"])
def test_a_time_that_is_no_time(rosetta, tmp_path, members, word):
    head, first, rest = members["blocks.csv"].split("\n", 2)
    fields = first.split(",")
    fields[head.split(",").index("elapsed_s")] = word
    members["blocks.csv"] = "\n".join([head, ",".join(fields), rest])
    assert "blocks.csv in the bundle is not valid" in check(rosetta, tmp_path, signed(members))


@pytest.mark.parametrize("depth", [100, 100_000])
def test_absurd_nesting(rosetta, tmp_path, members, depth):
    members["events.json"] = "[" * depth + "]" * depth
    assert "levels deep" in check(rosetta, tmp_path, signed(members))


def test_a_key_twice(rosetta, tmp_path, members):
    members["run.json"] = members["run.json"].replace('"id":', '"id": "other", "id":', 1)
    assert "a key twice" in check(rosetta, tmp_path, signed(members))


@pytest.mark.parametrize("text", ["\x1b[2J\x1b[31mred", "\x9b2J", "\u202egnp.exe", "a\u2028b", "\x00", "\ud800"])
def test_text_that_a_terminal_obeys(rosetta, tmp_path, members, text):
    changed = edited(members, "run.json", lambda run: run.update(command=["rosetta", text]))
    assert "control character" in check(rosetta, tmp_path, signed(changed))


def test_text_that_a_terminal_obeys_in_csv(rosetta, tmp_path, members):
    members["blocks.csv"] = members["blocks.csv"].replace(",turn,", ",\x1b[2J,", 1)
    assert "control character" in check(rosetta, tmp_path, signed(members))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("blocks.csv", "contest,entry\n1,1\n"),
        ("blocks.csv", ""),
        ("blocks.csv", '"'),
        ("contests.json", "{}"),
        ("run.json", "not json"),
        ("run.json", "[]"),
        ("run.json", '{"id": 1}'),
        ("verdicts.json", '[{"contest": 1}]'),
        (
            "events.json",
            '[{"contest": 9, "entry": 9, "at": "2026-01-01T00:00:00+00:00", "kind": "load", "payload": {}}]',
        ),
        ("events.json", '[{"contest": null, "entry": null, "at": "x", "kind": "load", "payload": {}}]'),
        (
            "events.json",
            '[{"contest": null, "entry": null, "at": "2026-01-01T00:00+00:00", "kind": "x", "payload": {}}]',
        ),
    ],
)
def test_a_part_of_another_form(rosetta, tmp_path, members, name, text):
    assert check(rosetta, tmp_path, signed({**members, name: text}))


def change_entry(**values):
    """Return a change of the first entry of the first contest."""
    return lambda contests: contests[0]["entries"][0].update(values)


@pytest.mark.parametrize(
    "change",
    [
        change_entry(label="jax"),
        change_entry(control_of="nobody"),
        change_entry(certifications=[{"session": 1, "certificate": "0" * 64}]),
        change_entry(lock="evil@1.0"),
        lambda contests: contests.clear(),
        lambda contests: contests[0]["setting"].pop("batch_size"),
        lambda contests: contests[0]["setting"].update(batch_size=0),
        lambda contests: contests[0]["stopping"].update(confidence=2),
    ],
)
def test_parts_that_do_not_fit(rosetta, tmp_path, members, change):
    assert check(rosetta, tmp_path, signed(edited(members, "contests.json", change)))


def test_a_certificate_that_was_changed(rosetta, tmp_path, members):
    name = next(name for name in members if name.startswith("certificates/"))
    changed = edited(members, name, lambda one: one["body"].update(steps=11))
    assert "is not what its digest says" in check(rosetta, tmp_path, signed(changed))


def test_a_certificate_without_its_parts(rosetta, tmp_path, members):
    from rosettabench.store.digest import digest

    name = next(name for name in members if name.startswith("certificates/"))
    one = json.loads(members[name])
    old, one["body"] = one["digest"], {"tightest": {"loss": {}}}
    one["digest"] = digest(one["body"])
    members["contests.json"] = members["contests.json"].replace(old, one["digest"])
    err = check(rosetta, tmp_path, signed({**members, name: json.dumps(one)}))
    assert "no verdict can be computed" in err


def check_verdicts(rosetta, tmp_path, members):
    """Return what is printed of a bundle whose parts are all valid, and whose verdicts do not follow."""
    (tmp_path / "run.zip").write_bytes(signed(members))
    code, out, err = rosetta("repeat", "--check", "run.zip")
    assert code == 4, err
    assert "do not follow from the blocks" in err
    return out


def test_a_changed_time_is_found_although_the_manifest_fits(rosetta, tmp_path, members):
    head, *rows = members["blocks.csv"].splitlines()
    place = head.split(",").index("elapsed_s")
    split = [row.split(",") for row in rows]
    for row in split:
        if row[1] == "2":  # jax, half as slow as it was
            row[place] = repr(float(row[place]) / 2)
    members["blocks.csv"] = "\n".join([head, *map(",".join, split), ""])
    assert "the ranking is stated as" in check_verdicts(rosetta, tmp_path, members)


@pytest.mark.parametrize("name", ["ratio", "low", "high"])
def test_a_changed_verdict_is_found_although_the_manifest_fits(rosetta, tmp_path, members, name):
    def change(judged):
        judged[0]["verdicts"][0]["interval"][name] *= 1.001

    assert "is stated, and the blocks give" in check_verdicts(
        rosetta, tmp_path, edited(members, "verdicts.json", change)
    )


def test_a_verdict_left_out_is_found(rosetta, tmp_path, members):
    changed = edited(members, "verdicts.json", lambda judged: judged[0]["verdicts"].pop())
    assert "no verdict is stated" in check_verdicts(rosetta, tmp_path, changed)
    assert "contests have verdicts" in check_verdicts(rosetta, tmp_path, {**members, "verdicts.json": "[]"})
