"""An analysis with everything in it, to be stored and read back."""

from __future__ import annotations

from engine.analysis import (
    Action,
    Analysis,
    Edit,
    EditKind,
    Finding,
    Reason,
    Rewrite,
    ScoredSentence,
)
from engine.essay import Essay, Notice
from engine.scheme import ReasonCode
from tests.fakes import MIXED_ESSAY

ESSAY = Essay.from_text(MIXED_ESSAY, topic="Work and study")

REPLACEMENT = Rewrite(
    Action.REPLACE,
    "However, it costs them hours of sleep.",
    (Edit(EditKind.REPLACE, 0, 3, "But", "However,"),),
    0.125,
    "marker-change",
    ReasonCode.R3,
)
DELETION = Rewrite(Action.DELETE, "", (), 0.25, "delete", ReasonCode.R6)


def sample_analysis() -> Analysis:
    sentences = tuple(
        ScoredSentence(s.span, s.text, None if s.index == 0 else 0.5) for s in ESSAY.sentences
    )
    return Analysis(
        content_hash=ESSAY.content_hash,
        topic=ESSAY.topic,
        sentences=sentences,
        findings=(
            Finding(
                2,
                0.875,
                (Reason(ReasonCode.R3, 0.75), Reason(ReasonCode.R1, 0.125)),
                1,
                "“But” is too informal for an essay.",
                (REPLACEMENT, DELETION),
                "key-of-two",
                "very likely",
            ),
            Finding(
                3,
                0.625,
                (Reason(ReasonCode.R6, 0.5),),
                None,
                "This moves away from your argument.",
                key="key-of-three",
                confidence="possible",
                note="Nothing clears this flag.",
            ),
        ),
        threshold=0.5,
        model={"id": "tiny", "hash": "abc"},
        device={"backend": "onnx", "device": "cpu", "reason": "Runs on the processor, as set."},
        seconds=1.5,
        notices=(Notice("one", "A notice."),),
    )
