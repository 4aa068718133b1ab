"""Classes of essays for the classroom tests: folders, zips, and an engine without a model."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from engine.classroom.model import Gathered, Submission
from engine.pipeline import Engine
from tests.cli.cli_support import OpenerRewriter
from tests.fakes import FakeTagger

FLAWED = "Parks are good for cities. But they cost money. A volcano is hot. People rest there."
"""Four sentences; the second (R3) and the third (R6) are flagged."""


def essay_text(name: str) -> str:
    """An essay that is different for each name, with two findings."""
    return f"This is the essay of {name}.\n\n{FLAWED}"


def fake_engine(*, delay: float = 0.0) -> Engine:
    """An engine that judges by keywords."""
    return Engine(tagger=FakeTagger(delay=delay), rewriter=OpenerRewriter())


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files under a folder, with the folders that they need."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def write_class(folder: Path, count: int) -> Path:
    """A folder with so many essays, by Student 01, Student 02 and so on."""
    names = [f"Student {number:02}" for number in range(1, count + 1)]
    return write_files(folder, {f"{name}.txt": essay_text(name) for name in names})


def write_zip(path: Path, files: Mapping[str, str | bytes]) -> Path:
    """A zip file with these entries."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def write_zip_with_raw_names(path: Path, files: Mapping[bytes, str]) -> Path:
    """A zip as older programs make it: names as bytes, with nothing said of their encoding."""
    path.write_bytes(_stored_zip(files))
    return path


def _stored_zip(files: Mapping[bytes, str]) -> bytes:
    """A stored zip, written by hand."""
    local, central = b"", b""
    for raw, content in files.items():
        data = content.encode()
        fields = struct.pack(
            "<HHHHHIIIHH",
            20, 0, 0, 0, 33, zlib.crc32(data), len(data), len(data), len(raw), 0,
        )  # fmt: skip
        central += (
            b"PK\x01\x02" + struct.pack("<H", 20) + fields
            + struct.pack("<HHHII", 0, 0, 0, 0, len(local)) + raw
        )  # fmt: skip
        local += b"PK\x03\x04" + fields + raw + data
    end = struct.pack(
        "<4sHHHHIIH", b"PK\x05\x06", 0, 0, len(files), len(files), len(central), len(local), 0
    )
    return local + central + end


def by_name(gathered: Gathered) -> dict[str, Submission]:
    """The submissions by student's name."""
    return {one.student.name: one for one in gathered.submissions}


def names(gathered: Gathered) -> list[str]:
    """The students' names, in order."""
    return [one.student.name for one in gathered.submissions]


def codes(submission: Submission) -> list[str]:
    """The codes of a submission's notices."""
    return [notice.code for notice in submission.notices]


def skips(gathered: Gathered) -> dict[str, str]:
    """Which file was skipped, and the code of why."""
    return {one.name: one.code for one in gathered.skipped}
