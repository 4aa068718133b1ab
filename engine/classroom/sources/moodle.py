"""Moodle's download of all submissions, and its offline grading worksheet.

The download holds, for each student, a folder `Full name_12345_assignsubmission_file_` with the
files in it, or, without folders, files whose names begin so. Text typed into Moodle comes as
`onlinetext.html` under `..._assignsubmission_onlinetext_`. The number is the participant's, as in
the worksheet's column "Identifier". Source: Moodle 4.5, mod/assign/locallib.php,
`download_submissions`, and feedback/offline/locallib.php.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

_PART = re.compile(
    r"(?P<name>.*?)_(?P<participant>\d+)_assignsubmission_(?P<plugin>[a-z]+)_?(?P<rest>.*)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class MoodleFile:
    """Whose file it is in a Moodle download; `folder` as Moodle's feedback upload wants it back."""

    name: str
    participant: str
    folder: str
    is_online_text: bool


def moodle_file(path: PurePosixPath) -> MoodleFile | None:
    """What Moodle's naming says of a file; None where the path does not follow it."""
    for part in path.parts:
        found = _PART.fullmatch(part)
        if found is not None:
            stem = part[: found.start("rest")]
            return MoodleFile(
                name=found["name"].strip(" _"),
                participant=found["participant"],
                folder=stem if stem.endswith("_") else stem + "_",
                is_online_text=found["plugin"] == "onlinetext",
            )
    return None
