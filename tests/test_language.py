"""English is told from other languages by its function words; short texts count as English."""

from __future__ import annotations

import pytest

from engine.essay import Essay
from engine.language import is_english, language_notices

ENGLISH = (
    "Young peoples enjoys the life more then olders. They has good health and they not need spend "
    "time in hospital. So I am agree with this statement."
)


OTHERS = {
    "German": "Die Stadt ist groß und schön. Viele Leute wohnen in der Stadt, weil sie dort "
    "arbeiten. Der Verkehr ist aber schlimm. Man will also mehr Züge und hat keine.",
    "Spanish": "El tiempo es oro y no me gusta perderlo. Los estudiantes van a la escuela para "
    "aprender a ser personas, y no todos lo hacen con gusto.",
    "Dutch": "De mensen wonen in de stad want daar is werk. Het is er druk, maar ook leuk. We "
    "willen meer treinen en minder auto's in de stad, en dat is goed.",
    "Russian": "Город большой и красивый. Многие люди живут в городе, потому что они там "
    "работают. Но движение плохое. Люди хотят больше поездов и меньше машин в городе.",
    "Arabic": "المدينة كبيرة وجميلة. يعيش كثير من الناس في المدينة لأنهم يعملون هناك. لكن حركة "
    "المرور سيئة جدا. يريد الناس مزيدا من القطارات وسيارات أقل في المدينة.",
}


def test_learners_english_is_english() -> None:
    assert is_english(ENGLISH)
    assert language_notices(Essay.from_text(ENGLISH)) == ()


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_languages_are_not(text: str) -> None:
    assert not is_english(text)
    (notice,) = language_notices(Essay.from_text(text))
    assert notice.code == "not-english"


def test_a_short_text_is_given_the_benefit_of_the_doubt() -> None:
    assert is_english("Die Stadt ist groß. Sie ist schön.")
    assert is_english("")
