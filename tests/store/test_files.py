"""Files that are read once for each change."""

from rosettabench.files import once_per_change, replace_file


def test_a_file_is_read_again_when_it_has_changed(tmp_path):
    read = []

    @once_per_change
    def length(path):
        read.append(path)
        return len(path.read_bytes())

    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("abc")
    other.write_text("ab")
    assert [length(one), length(one), length(other), length(one)] == [3, 3, 2, 3]
    assert read == [one, other]
    replace_file(one, b"abcd")
    assert [length(one), length(other)] == [4, 2]
    assert read == [one, other, one]
