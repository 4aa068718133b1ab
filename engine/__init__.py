"""Segue's engine: detecting, explaining and mending incoherence, without any user interface.

What is named here is the public API, each name loaded when it is first used: importing `engine`
loads no model runtime. What may come in: names that people outside the project need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.analysis import (
        Action,
        Analysis,
        Decision,
        Edit,
        EditKind,
        Finding,
        Judgement,
        Reason,
        Rewrite,
        ScoredSentence,
        Scorer,
        Verdict,
        apply_rewrite,
        finding_key,
        reanchor,
        replacement_span,
    )
    from engine.documents import (
        load as load_essay,
    )
    from engine.documents import (
        save as save_essay,
    )
    from engine.errors import (
        BackendError,
        Cancelled,
        EmptyEssay,
        HistoryError,
        InputError,
        ModelError,
        SegueError,
        UsageError,
    )
    from engine.essay import (
        Essay,
        Notice,
        Paragraph,
        ParagraphKind,
        Sentence,
    )
    from engine.events import (
        Event,
        Finished,
        Found,
        Progress,
        Scored,
        event_from_dict,
    )
    from engine.history import (
        History,
    )
    from engine.models.store import (
        ModelStore,
    )
    from engine.pipeline import (
        Engine,
    )
    from engine.scheme import (
        Group,
        ReasonCode,
        group_of,
    )
    from engine.spans import (
        Span,
    )

__version__ = "0.1.0"

_HOMES = {
    "Action": "engine.analysis:Action",
    "Analysis": "engine.analysis:Analysis",
    "BackendError": "engine.errors:BackendError",
    "Cancelled": "engine.errors:Cancelled",
    "Decision": "engine.analysis:Decision",
    "Edit": "engine.analysis:Edit",
    "EditKind": "engine.analysis:EditKind",
    "EmptyEssay": "engine.errors:EmptyEssay",
    "Engine": "engine.pipeline:Engine",
    "Essay": "engine.essay:Essay",
    "Event": "engine.events:Event",
    "Finding": "engine.analysis:Finding",
    "Finished": "engine.events:Finished",
    "Found": "engine.events:Found",
    "Group": "engine.scheme:Group",
    "History": "engine.history:History",
    "HistoryError": "engine.errors:HistoryError",
    "InputError": "engine.errors:InputError",
    "Judgement": "engine.analysis:Judgement",
    "ModelError": "engine.errors:ModelError",
    "ModelStore": "engine.models.store:ModelStore",
    "Notice": "engine.essay:Notice",
    "Paragraph": "engine.essay:Paragraph",
    "ParagraphKind": "engine.essay:ParagraphKind",
    "Progress": "engine.events:Progress",
    "Reason": "engine.analysis:Reason",
    "ReasonCode": "engine.scheme:ReasonCode",
    "Rewrite": "engine.analysis:Rewrite",
    "Scored": "engine.events:Scored",
    "ScoredSentence": "engine.analysis:ScoredSentence",
    "Scorer": "engine.analysis:Scorer",
    "SegueError": "engine.errors:SegueError",
    "Sentence": "engine.essay:Sentence",
    "Span": "engine.spans:Span",
    "UsageError": "engine.errors:UsageError",
    "Verdict": "engine.analysis:Verdict",
    "apply_rewrite": "engine.analysis:apply_rewrite",
    "event_from_dict": "engine.events:event_from_dict",
    "finding_key": "engine.analysis:finding_key",
    "group_of": "engine.scheme:group_of",
    "load_essay": "engine.documents:load",
    "reanchor": "engine.analysis:reanchor",
    "replacement_span": "engine.analysis:replacement_span",
    "save_essay": "engine.documents:save",
}

__all__ = [
    "Action",
    "Analysis",
    "BackendError",
    "Cancelled",
    "Decision",
    "Edit",
    "EditKind",
    "EmptyEssay",
    "Engine",
    "Essay",
    "Event",
    "Finding",
    "Finished",
    "Found",
    "Group",
    "History",
    "HistoryError",
    "InputError",
    "Judgement",
    "ModelError",
    "ModelStore",
    "Notice",
    "Paragraph",
    "ParagraphKind",
    "Progress",
    "Reason",
    "ReasonCode",
    "Rewrite",
    "Scored",
    "ScoredSentence",
    "Scorer",
    "SegueError",
    "Sentence",
    "Span",
    "UsageError",
    "Verdict",
    "apply_rewrite",
    "event_from_dict",
    "finding_key",
    "group_of",
    "load_essay",
    "reanchor",
    "replacement_span",
    "save_essay",
]


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'engine' has no attribute {name!r}")
    module, _, attribute = home.partition(":")
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, whether loaded or not."""
    return sorted({*globals(), *__all__})
