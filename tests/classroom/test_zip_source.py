"""A zip of essays: names in every encoding, and nothing that a hostile zip could do."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from engine.classroom.model import SourceKind
from engine.classroom.sources import SubmissionReader, gather
from engine.errors import DamagedFile, PasswordProtected
from tests.classroom.class_files import (
    FLAWED,
    by_name,
    names,
    skips,
    write_zip,
    write_zip_with_raw_names,
)


def test_a_zip_is_read_like_a_folder(tmp_path: Path) -> None:
    path = write_zip(
        tmp_path / "class.zip",
        {"Anna.txt": FLAWED, "Ben/essay.txt": "B b.", "__MACOSX/._Anna.txt": "x", "a.png": "x"},
    )
    gathered = gather(path)
    assert names(gathered) == ["Anna", "Ben"]
    assert gathered.kind is SourceKind.ZIP
    assert skips(gathered) == {"a.png": "unsupported-format"}
    with SubmissionReader(path) as reader:
        assert reader.essay(gathered.submissions[0]).text == FLAWED


@pytest.mark.parametrize(
    ("encoding", "stems"),
    [
        ("utf-8", ["王小明", "Анна"]),
        ("gbk", ["王小明", "陈美玲", "李娜"]),
        ("cp866", ["Дмитрий Волков", "Анна Петрова"]),
        ("cp1251", ["Дмитрий Волков", "Анна Петрова"]),
        ("cp1256", ["يوسف حداد"]),
        ("cp850", ["José Muñoz", "Zoë Müller"]),
        ("shift_jis", ["さとう けん", "やまだ はなこ"]),
        ("euc_kr", ["김민준 과제", "박서연 과제"]),
    ],
)
def test_names_are_read_in_the_encoding_that_they_make_sense_in(
    tmp_path: Path, encoding: str, stems: list[str]
) -> None:
    files = {f"{stem}.txt".encode(encoding): f"By {stem}." for stem in stems}
    path = write_zip_with_raw_names(tmp_path / "class.zip", files)
    assert names(gather(path)) == stems


@pytest.mark.parametrize(
    "name", ["../Anna.txt", "/etc/Anna.txt", "C:/Anna.txt", "a/../../Anna.txt", "..\\Anna.txt"]
)
def test_a_path_out_of_the_zip_is_refused_by_name(tmp_path: Path, name: str) -> None:
    path = write_zip(tmp_path / "class.zip", {name: FLAWED, "Ben.txt": "B b."})
    gathered = gather(path)
    assert names(gathered) == ["Ben"]
    assert skips(gathered) == {name.replace("\\", "/"): "unsafe-path"}


def test_reading_a_zip_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = tmp_path / "temporary"
    places.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(places))
    path = write_zip(tmp_path / "class.zip", {"Anna.txt": FLAWED})
    with SubmissionReader(path) as reader:
        reader.essay(gather(path).submissions[0])
    assert list(places.iterdir()) == []


def test_a_zip_bomb_is_refused_by_name(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "class.zip", {"bomb.txt": "a" * 30_000_000, "Ben.txt": "B b."})
    gathered = gather(path)
    assert names(gathered) == ["Ben"]
    assert skips(gathered) == {"bomb.txt": "too-large"}


def test_a_bomb_that_lies_about_its_size_is_stopped_while_it_unpacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.classroom.sources.entries.LARGEST", 1_000_000)
    path = write_zip(tmp_path / "class.zip", {"bomb.txt": "a" * 9_000_000, "Ben.txt": "B b."})
    data = path.read_bytes()
    path.write_bytes(data.replace(struct.pack("<I", 9_000_000), struct.pack("<I", 900_000)))
    gathered = gather(path)
    with SubmissionReader(path) as reader, pytest.raises(DamagedFile):
        reader.essay(by_name(gathered)["bomb"])


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("Anna.txt")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
        archive.writestr("Ben.txt", "B b.")
    assert skips(gather(path)) == {"Anna.txt": "link"}


def test_an_encrypted_zip_is_named_as_such(tmp_path: Path) -> None:
    path = write_zip_with_raw_names(tmp_path / "class.zip", {b"Anna.txt": "A b."})
    data = bytearray(path.read_bytes())
    data[6] |= 1
    central = data.index(b"PK\x01\x02")
    data[central + 8] |= 1
    path.write_bytes(bytes(data))
    with pytest.raises(PasswordProtected):
        gather(path)


def test_half_a_zip_is_named_as_damaged(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "class.zip", {"Anna.txt": FLAWED * 20})
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(DamagedFile, match=r"class\.zip is damaged"):
        gather(path)


def test_one_broken_entry_does_not_spoil_the_zip(tmp_path: Path) -> None:
    path = write_zip_with_raw_names(
        tmp_path / "class.zip", {b"Anna.txt": "The first text.", b"Ben.txt": "The second text."}
    )
    path.write_bytes(path.read_bytes().replace(b"The first", b"The flrst"))
    gathered = gather(path)
    assert names(gathered) == ["Anna", "Ben"]
    with SubmissionReader(path) as reader:
        assert reader.essay(by_name(gathered)["Ben"]).text == "The second text."
        with pytest.raises(DamagedFile, match=r"Anna\.txt"):
            reader.essay(by_name(gathered)["Anna"])
