"""Small originals: the same formats as the published files, small enough to be made for a test."""

import gzip
import hashlib
import io
import json
import struct
import tarfile
from datetime import datetime
from pathlib import Path

import numpy as np
from PIL import Image

from rosettabench.data.sets.cifar_10 import ARCHIVE, FOLDER, Cifar10
from rosettabench.data.sets.cifar_10 import FILES as CIFAR_FILES
from rosettabench.data.sets.fashion_mnist import FILES, FashionMnist
from rosettabench.data.sets.imdb import Imdb, Published

GRU = {"vocabulary": 30, "length": 6, "keep": "last", "pad": "end"}

WORDS = ["the", "film", "was", "good", "bad", "it's", "café", "not", "very", "end"]


def idx(array):
    """The bytes of an idx file."""
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def fashion_mnist(folder, samples=(50, 20), remotes=()):
    """Write a small Fashion-MNIST into `folder`; return the data set that knows it."""
    folder.mkdir(parents=True, exist_ok=True)
    rng, content = np.random.default_rng(7), {}
    for word, file in FILES.items():
        count = samples[0] if word.startswith("train") else samples[1]
        shape, top = ((count, 28, 28), 256) if word.endswith("images") else ((count,), 10)
        array = rng.integers(0, top, shape, dtype=np.uint8)
        (folder / f"{file}.gz").write_bytes(gzip.compress(idx(array), mtime=0))
        content[word] = hashlib.sha256(array.tobytes()).hexdigest()
    return FashionMnist(dict(zip(("train", "test"), samples, strict=True)), content, tuple(remotes))


def cifar_10(per_file=6, remotes=()):
    """Return {file: its bytes} of a small CIFAR-10, and the data set that knows them."""
    rng = np.random.default_rng(5)
    content = {}
    for file in (file for files in CIFAR_FILES.values() for file in files):
        records = rng.integers(0, 256, (per_file, 3073), dtype=np.uint8)
        records[:, 0] = rng.integers(0, 10, per_file)
        content[file] = records.tobytes()
    known = {file: hashlib.sha256(content[file]).hexdigest() for file in ("data_batch_1.bin", "test_batch.bin")}
    return content, Cifar10(per_file, known, tuple(remotes))


def write_cifar_archive(folder, content):
    """Write the files as the archive of the binary version, with other members around them."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(folder / ARCHIVE, "w:gz") as archive:
        _add(archive, f"{FOLDER}/batches.meta.txt", b"airplane")
        _add(archive, "elsewhere/data_batch_1.bin", b"not it")
        for file, records in content.items():
            _add(archive, f"{FOLDER}/{file}", records)


def reviews(per_class=4):
    """Small reviews: {(part, class word, number): text}; in the test part some words that no index has."""
    rng, texts = np.random.default_rng(3), {}
    for part in ("train", "test"):
        for word in ("neg", "pos"):
            for number in range(per_class):
                chosen = [WORDS[i] for i in rng.integers(0, len(WORDS), rng.integers(1, 12))]
                unknown = ["zyzzyva"] * (part == "test" and number % 2)
                texts[part, word, number] = " ".join([*chosen, *unknown]).capitalize() + ".<br />\t(end)"
    return texts


def ids(text):
    """The ids that `text` has, by plain reading of the rule."""
    for mark in "\t.<>/()":
        text = text.replace(mark, " ")
    index = {word: rank for rank, word in enumerate([*WORDS, "br"], 1)}
    return [1] + [index[word] + 3 for word in text.lower().split() if word in index]


def imdb(texts, remotes=()):
    """Return the data set that knows `texts`."""
    total = {part: sum(len(ids(text)) for key, text in texts.items() if key[0] == part) for part in ("train", "test")}
    per_class = sum(key[:2] == ("train", "neg") for key in texts)
    md5 = hashlib.md5(word_index().encode(), usedforsecurity=False).hexdigest()
    return Imdb(Published(per_class, total, md5), tuple(remotes))


def word_index():
    return json.dumps({word: rank for rank, word in enumerate([*WORDS, "br"], 1)})


def write_archive(folder, texts, name="aclImdb_v1.tar.gz"):
    """Write the reviews as an archive with other members around them, and the word index beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    packing = {"gz": "gz", "xz": "xz", "tar": ""}[name.rsplit(".", 1)[1]]
    with tarfile.open(folder / name, f"w:{packing}") as archive:
        _add(archive, "aclImdb/README", b"not a review")
        _add(archive, "aclImdb/train/unsup/0_0.txt", b"the film")
        _add(archive, "../../aclImdb/train/pos/99_9.txt", b"the film")
        link = tarfile.TarInfo("aclImdb/train/pos/77_7.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
        for (part, word, number), text in texts.items():
            _add(archive, f"aclImdb/{part}/{word}/{number}_8.txt", text.encode())
    (folder / "imdb_word_index.json").write_text(word_index())


def write_folder(folder, texts):
    """Write the reviews as the unpacked folder aclImdb, and the word index beside it."""
    for (part, word, number), text in texts.items():
        path = Path(folder, "aclImdb", part, word, f"{number}_8.txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (folder / "imdb_word_index.json").write_text(word_index())


def write_npz(folder, texts):
    """Write the reviews as Keras' imdb.npz: shuffled, ranks without start."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {}
    for part in ("train", "test"):
        chosen = sorted((key for key in texts if key[0] == part), key=lambda key: hash(key[2]) % 3)
        ranks = np.empty(len(chosen), object)
        ranks[:] = [[number - 3 for number in ids(texts[key])[1:]] for key in chosen]
        arrays[f"x_{part}"] = ranks
        arrays[f"y_{part}"] = np.array([int(key[1] == "pos") for key in chosen])
    np.savez(folder / "imdb.npz", **arrays)


def _add(archive, name, content):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def tsf(attributes, rows, encoding="utf-8", **header):
    """The bytes of a .tsf file: {name: kind} of its attributes, their values and its own of each series."""
    lines = ["# A file – made for a test", *(f"@{tag} {_word(word)}" for tag, word in header.items()), ""]
    lines += [*(f"@attribute {name} {kind}" for name, kind in attributes.items()), "@data"]
    lines += [":".join([*map(_word, told), ",".join(map(_word, values))]) for told, values in rows]
    return ("\r\n".join(lines) + "\r\n").encode(encoding)


def _word(value):
    """A value as a .tsf file has it."""
    if value is None:
        return "?"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:%Y-%m-%d %H-%M-%S}" if isinstance(value, datetime) else str(value)


def photograph(path, height=9, width=7, seed=0):
    """Write a small picture of random pixels, which a .JPEG keeps roughly; return them, (3, height, width)."""
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)
    return pixels.transpose(2, 0, 1)


def imagenet(folder, classes=("n00000001", "n00000005", "n00000003"), each=10):
    """Write so many photographs of each class below `folder`; return it."""
    for number, name in enumerate(classes):
        for place in range(each):
            photograph(folder / name / f"{name}_{place:02}.JPEG", seed=100 * number + place)
    return folder
