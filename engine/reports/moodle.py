"""Feedback in the shape that Moodle's assignment pages take back.

Two uploads: a zip for "Upload multiple feedback files in a zip", whose folder names Moodle's own
download gave (`Name_12345_assignsubmission_file_`; the number is the participant's), and the
offline grading worksheet. Source: Moodle's mod/assign/feedback/file/importziplib.php and
feedback/offline/importgradeslib.php. No grade is read or written.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Collection, Iterable, Mapping
from html import escape

from engine.errors import DamagedFile, UsageError
from engine.reports.report_model import StudentReport

PLUGIN = "assignsubmission_file"
IDENTIFIERS = ("Identifier", "Participant")
FEEDBACK_COLUMNS = (
    "Feedback comments", "Feedback als Kommentar", "Comentarios de retroalimentación",
    "Comentarios de la retroalimentación", "Feedback par commentaires", "Commentaires", "反馈评论",
    "反饋評語", "フィードバックコメント", "피드백 댓글", "تعليقات التغذية الراجعة",
    "Comentários de feedback", "Комментарии к отзыву", "Отзыв в виде комментария",
)  # fmt: skip

_PARTICIPANT = re.compile(r"(\d+)\s*$")
_NOT_IN_NAMES = re.compile(r'[<>:"/\\|?*_\x00-\x1f]+')
_LONGEST_NAME = 80


def folder_name(name: str, participant: str) -> str:
    """The folder of one student's feedback: `Name_12345_assignsubmission_file_`.

    Underscores and characters that no file system takes are left out of the name, since Moodle
    reads the number after the first underscore. Raises UsageError for a participant that is no
    number.
    """
    if not participant.isascii() or not participant.isdigit():
        raise UsageError(
            "Moodle's number of a participant is missing, so the feedback cannot be matched.",
            hint="Read the class from Moodle's own download of all submissions.",
        )
    clean = " ".join(_NOT_IN_NAMES.sub(" ", name).split()).strip(". ")
    return f"{clean[:_LONGEST_NAME].strip() or 'Student'}_{participant}_{PLUGIN}_"


def feedback_zip(feedback: Iterable[tuple[str, Mapping[str, bytes]]]) -> bytes:
    """The zip; `feedback` are folder names with their files, such as `feedback.html`.

    Raises UsageError for two students with the same folder, for one would overwrite the other.
    """
    file = io.BytesIO()
    seen: set[str] = set()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder, files in feedback:
            if folder in seen:
                raise UsageError(f"Two students have the same feedback folder: {folder}.")
            seen.add(folder)
            for name, data in files.items():
                archive.writestr(f"{folder}/{name}", data)
    return file.getvalue()


def filled_worksheet(
    worksheet: bytes, comments: Mapping[str, str], *, column: str = ""
) -> tuple[bytes, tuple[str, ...]]:
    """The worksheet with feedback comments filled in, and the participants it does not list.

    `comments` are HTML by participant number; rows of others and all other columns, the grade
    among them, stay as they are. `column` is the heading of the feedback column where it is not
    one of the usual ones. Raises DamagedFile where the file is no such worksheet.
    """
    mark = b"\xef\xbb\xbf" if worksheet.startswith(b"\xef\xbb\xbf") else b""
    try:
        text = worksheet.decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise DamagedFile("The grading worksheet is not a CSV file in UTF-8.") from error
    place = _feedback_column(rows[0] if rows else [], (column,) if column else FEEDBACK_COLUMNS)
    left = dict(comments)
    for row in rows[1:]:
        participant = _PARTICIPANT.search(row[0]) if len(row) > place else None
        if participant and participant.group(1) in left:
            row[place] = left.pop(participant.group(1))
    file = io.StringIO(newline="")
    newline = "\r\n" if "\r\n" in text.split("\n", 1)[0] + "\n" else "\n"
    csv.writer(file, lineterminator=newline).writerows(rows)
    return mark + file.getvalue().encode("utf-8"), tuple(left)


def _feedback_column(heads: list[str], names: Collection[str]) -> int:
    for place, head in enumerate(heads):
        if head.strip() in names:
            return place
    raise DamagedFile(
        "The grading worksheet has no column for feedback comments.",
        hint="In Moodle, switch on “Feedback comments” and download the worksheet again.",
    )


def comment_html(report: StudentReport) -> str:
    """The report in short, as the HTML that Moodle shows for a feedback comment."""
    parts = [f"<p>{escape(line)}</p>" for line in report.comment.split("\n") if line.strip()]
    parts += _list("What already flows", report.strengths)
    parts += _list(
        "What to practise",
        [f"{one.tag}: {one.meaning} {one.advice} {one.where}." for one in report.practise],
    )
    if report.nothing:
        parts.append(f"<p>{escape(report.nothing)}</p>")
    parts.append(f"<p>{escape(report.standing)}</p>")
    return "".join(parts)


def _list(title: str, items: Collection[str]) -> list[str]:
    if not items:
        return []
    lines = "".join(f"<li>{escape(item)}</li>" for item in items)
    return [f"<p><strong>{title}</strong></p><ul>{lines}</ul>"]
