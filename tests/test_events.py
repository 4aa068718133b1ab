from __future__ import annotations

import pytest

from engine.events import Event, Finished, Found, Progress, Scored, event_from_dict
from tests.history.sample_analysis import sample_analysis

EVENTS: list[Event] = [
    Progress("judging", 3, 10),
    Scored(sample_analysis().sentences),
    Found(sample_analysis().findings[0]),
    Finished(sample_analysis()),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_is_read_back_as_it_was_written(event: Event) -> None:
    assert event_from_dict(event.as_dict()) == event


def test_keys_of_the_envelope_are_passed_over() -> None:
    assert event_from_dict({**EVENTS[0].as_dict(), "id": "7", "hash": "abc"}) == EVENTS[0]


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(ValueError, match="'thought'"):
        event_from_dict({"event": "thought"})
