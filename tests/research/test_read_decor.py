import csv
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import DamagedFile, InputError, UnknownEncoding, UnreadableFile
from engine.research.data import DELETE, AnnotatedEssay, as_training
from engine.research.readers import read_decor
from engine.research.readers.rebuild import rebuild
from engine.scheme import Group, ReasonCode
from tests.research.corpus_files import DECOR_COLUMNS, as_csv, decor_rows, write_csv

DOGS = ["Dogs are loyal.", "They guard the house.", "My uncle sells cars.", "So I like dogs."]
CATS = ["Cats are quiet.", "But they sleep a lot.", "That is nice."]


def read(tmp_path: Path, rows: list[dict[str, str]]) -> list[AnnotatedEssay]:
    return read_decor(write_csv(tmp_path / "split.csv", rows))


def test_an_essay_is_rebuilt_from_its_contexts_opening_included(tmp_path: Path) -> None:
    (essay,) = read(tmp_path, decor_rows("1.txt", DOGS))
    assert essay.sentences == tuple(DOGS)
    assert [pair.index for pair in essay.pairs] == [1, 2, 3]
    assert essay.topic == "Pets are good company."


def test_label_0_means_incoherent_and_1_coherent(tmp_path: Path) -> None:
    (essay,) = read(tmp_path, decor_rows("1.txt", DOGS, {2: "R6"}))
    assert [pair.incoherent for pair in essay.pairs] == [False, True, False]
    assert essay.pairs[1].reasons == {ReasonCode.R6}
    assert essay.pairs[1].groups == {Group.RELEVANCE}


@pytest.mark.parametrize(
    ("label", "incoherent"),
    [
        ("1", False),
        ("1.0", False),
        (" 1 ", False),
        ("0", True),
        ("0.0", True),
        ("-1", True),
        ("-1.0", True),
    ],
)
def test_every_spelling_of_the_label_is_understood(
    tmp_path: Path, label: str, incoherent: bool
) -> None:
    (row,) = decor_rows("1.txt", DOGS[:2])
    (essay,) = read(tmp_path, [row | {"label": label}])
    assert essay.pairs[0].incoherent is incoherent


@pytest.mark.parametrize(
    ("cell", "applies"),
    [("1.0", True), ("1", True), ("3.0", True), ("0.0", False), ("-1.0", False), ("", False)],
)
def test_every_spelling_of_a_reason_is_understood(tmp_path: Path, cell: str, applies: bool) -> None:
    (row,) = decor_rows("1.txt", DOGS[:2], {1: "R3"})
    (essay,) = read(tmp_path, [row | {"R5": cell}])
    assert (ReasonCode.R5 in essay.pairs[0].reasons) is applies


def test_a_coherent_sentence_has_no_reasons_whatever_its_cells_say(tmp_path: Path) -> None:
    (row,) = decor_rows("1.txt", DOGS[:2])
    (essay,) = read(tmp_path, [row | {"R1": "1.0", "R6": "-1.0"}])
    assert essay.pairs[0].reasons == frozenset()


@pytest.mark.parametrize("cell", ["DELETE", "[DELETE]", " delete ", "DELETE."])
def test_every_spelling_of_delete_is_an_action_and_no_rewrite(tmp_path: Path, cell: str) -> None:
    (row,) = decor_rows("1.txt", DOGS[:2], {1: "R6"})
    (essay,) = read(tmp_path, [row | {"Rewrite": cell}])
    assert essay.pairs[0].delete
    assert essay.pairs[0].rewrite is None


def test_a_rewrite_that_speaks_of_deleting_is_a_rewrite(tmp_path: Path) -> None:
    (row,) = decor_rows("1.txt", DOGS[:2], {1: "R1"})
    (essay,) = read(tmp_path, [row | {"Rewrite": "They delete the house."}])
    assert essay.pairs[0].rewrite == "They delete the house."
    assert not essay.pairs[0].delete


def test_essays_come_in_file_order_even_where_their_rows_alternate(tmp_path: Path) -> None:
    dogs, cats = decor_rows("9.txt", DOGS), decor_rows("1.txt", CATS)
    essays = read(tmp_path, [dogs[0], cats[1], dogs[2], cats[0], dogs[1]])
    assert [essay.essay_id for essay in essays] == ["9.txt", "1.txt"]
    assert [essay.sentences for essay in essays] == [tuple(DOGS), tuple(CATS)]
    assert [[pair.index for pair in essay.pairs] for essay in essays] == [[1, 3, 2], [2, 1]]


def test_sentences_whose_rows_are_missing_are_split_from_a_later_context(tmp_path: Path) -> None:
    (essay,) = read(tmp_path, decor_rows("1.txt", DOGS)[2:])
    assert essay.sentences == tuple(DOGS)
    assert [pair.index for pair in essay.pairs] == [3]


def test_unmarked_text_splits_at_full_stops_only_as_the_corpus_does(tmp_path: Path) -> None:
    rows = decor_rows("1.txt", ["Why? I saw it on T. V. yesterday.", "It was good."])
    (essay,) = read(tmp_path, rows)
    assert essay.sentences == ("Why? I saw it on T.", "V.", "yesterday.", "It was good.")
    assert essay.pairs[0].index == 3


def test_a_sentence_with_a_row_is_never_split_again(tmp_path: Path) -> None:
    sentences = ["Dogs bark. Loudly.", "They run. They jump.", "I like it."]
    (essay,) = read(tmp_path, decor_rows("1.txt", sentences))
    assert essay.sentences == ("Dogs bark.", "Loudly.", "They run. They jump.", "I like it.")


def test_white_space_may_differ_between_rows(tmp_path: Path) -> None:
    rows = decor_rows("1.txt", DOGS)
    rows[2]["context"] = "Dogs are loyal.  They guard the house.\nMy uncle sells cars."
    rows[1]["sentence"] += " "
    (essay,) = read(tmp_path, rows)
    assert essay.sentences == tuple(DOGS)


def test_a_first_sentence_with_a_row_of_its_own_is_kept(tmp_path: Path) -> None:
    rows = decor_rows("1.txt", DOGS[:2])
    opening = rows[0] | {"context": "", "sentence": DOGS[0]}
    (essay,) = read(tmp_path, [opening, *rows])
    assert essay.sentences == tuple(DOGS[:2])
    assert [pair.index for pair in essay.pairs] == [0, 1]


def test_two_rows_about_one_sentence_are_both_kept(tmp_path: Path) -> None:
    first = decor_rows("1.txt", DOGS[:2])
    second = decor_rows("1.txt", DOGS[:2], {1: "R1"})
    (essay,) = read(tmp_path, first + second)
    assert [pair.index for pair in essay.pairs] == [1, 1]
    assert [pair.incoherent for pair in essay.pairs] == [False, True]


def test_rows_that_contradict_the_essay_keep_the_context_they_were_judged_in(
    tmp_path: Path,
) -> None:
    rows = decor_rows("1.txt", DOGS)
    rows[1]["sentence"] = "My aunt sells boats."
    essays = read(tmp_path, rows)
    assert [essay.sentences for essay in essays] == [
        tuple(DOGS),
        ("Dogs are loyal.", "They guard the house.", "My aunt sells boats."),
    ]
    assert [[pair.index for pair in essay.pairs] for essay in essays] == [[1, 3], [2]]
    assert {essay.essay_id for essay in essays} == {"1.txt"}


def test_quoted_newlines_and_emoji_survive(tmp_path: Path) -> None:
    sentences = ["He said “hi” 🐕.", 'It is\nnice, "really".', "Yes."]
    (essay,) = read(tmp_path, decor_rows("1.txt", sentences, {1: "R7"}, rewrites={1: "It\nis."}))
    assert essay.sentences[1] == 'It is\nnice, "really".'
    assert essay.pairs[0].rewrite == "It\nis."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_byte_order_mark_does_not_hide_the_first_column(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "split.csv"
    path.write_text(as_csv(decor_rows("1.txt", ["Café.", "Olé."])), encoding=encoding)
    assert read_decor(path)[0].sentences == ("Café.", "Olé.")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_any_newline_ends_a_row(tmp_path: Path, newline: str) -> None:
    path = tmp_path / "split.csv"
    path.write_text(as_csv(decor_rows("1.txt", DOGS)), encoding="utf-8", newline=newline)
    assert read_decor(path)[0].sentences == tuple(DOGS)


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_spreadsheets_delimiter_is_understood(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "split.csv"
    path.write_text(as_csv(decor_rows("1.txt", DOGS), delimiter=delimiter), encoding="utf-8")
    assert read_decor(path)[0].sentences == tuple(DOGS)


def test_huge_fields_are_read_and_the_csv_limit_is_put_back(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    long = "word " * 60_000 + "end."
    (essay,) = read(tmp_path, decor_rows("1.txt", [long, "Next."]))
    assert essay.sentences == (long, "Next.")
    assert csv.field_size_limit() == limit


def test_blank_lines_and_further_columns_are_passed_over(tmp_path: Path) -> None:
    lines = as_csv(decor_rows("1.txt", DOGS)).splitlines()
    text = "\n".join(f"{i},{line}" for i, line in enumerate(lines)) + "\n\n,,,,\n"
    path = tmp_path / "split.csv"
    path.write_text(text, encoding="utf-8")
    assert read_decor(path)[0].sentences == tuple(DOGS)


def test_files_without_reason_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "split.csv"
    columns = DECOR_COLUMNS[:5]
    rows = [{key: row[key] for key in columns} for row in decor_rows("1.txt", DOGS, {2: "R6"})]
    path.write_text(as_csv(rows, columns), encoding="utf-8")
    (essay,) = read_decor(path)
    assert [pair.incoherent for pair in essay.pairs] == [False, True, False]
    assert not any(pair.reasons for pair in essay.pairs)


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("label", "", "row 3: the label is empty"),
        ("label", "2", "row 3: the label is 2"),
        ("label", "nan", "row 3: the label is nan"),
        ("label", "yes", "row 3: the label is not a number"),
        ("R4", "maybe", "row 3: the R4 is not a number"),
        ("sentence", " ", "row 3: the sentence is empty"),
        ("essay_id", "", "row 3: the essay_id is empty"),
        ("context", "a\0b", "row 3: a NUL character"),
    ],
)
def test_a_damaged_cell_is_named_by_its_row(
    tmp_path: Path, column: str, value: str, says: str
) -> None:
    rows = decor_rows("1.txt", DOGS)
    rows[1][column] = value
    with pytest.raises(DamagedFile) as caught:
        read(tmp_path, rows)
    assert says in caught.value.message
    assert "uncle" not in caught.value.message


def test_a_file_cut_inside_a_quoted_field_is_named_by_its_row(tmp_path: Path) -> None:
    rows = decor_rows("1.txt", DOGS)
    rows[2]["sentence"] = "So, I like dogs."
    path = tmp_path / "split.csv"
    path.write_text(as_csv(rows).split("like dogs")[0], encoding="utf-8")
    with pytest.raises(DamagedFile, match=r"split\.csv, row 4"):
        read_decor(path)


def test_a_file_cut_between_two_fields_is_named_by_its_row(tmp_path: Path) -> None:
    path = tmp_path / "split.csv"
    path.write_text(as_csv(decor_rows("1.txt", DOGS)).rstrip()[:-6], encoding="utf-8")
    with pytest.raises(DamagedFile, match="row 4: 7 cells where the header has 13"):
        read_decor(path)


def test_a_row_that_is_too_long_is_named(tmp_path: Path) -> None:
    path = tmp_path / "split.csv"
    path.write_text(as_csv(decor_rows("1.txt", DOGS)).rstrip() + ",spill\n", encoding="utf-8")
    with pytest.raises(DamagedFile, match="row 4: 14 cells"):
        read_decor(path)


@pytest.mark.parametrize("text", ["", "\n\n", as_csv([]), "essay_id,label\n1,0\n", "{}"])
def test_a_file_without_rows_or_columns_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "split.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DamagedFile):
        read_decor(path)


def test_bytes_that_are_not_utf8_are_named_by_their_line(tmp_path: Path) -> None:
    path = tmp_path / "split.csv"
    path.write_bytes(as_csv(decor_rows("1.txt", ["Dogs.", "Café."])).encode("latin-1"))
    with pytest.raises(UnknownEncoding, match="line 2"):
        read_decor(path)


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile):
        read_decor(tmp_path / "none.csv")


def test_any_truncation_is_read_whole_or_refused(tmp_path: Path) -> None:
    data = as_csv(decor_rows("1.txt", DOGS, {2: "R6"}) + decor_rows("2.txt", CATS)).encode()
    path = tmp_path / "split.csv"
    for end in range(0, len(data), 7):
        path.write_bytes(data[:end])
        try:
            essays = read_decor(path)
        except InputError:
            continue
        assert all(essay.pairs for essay in essays)


def test_experts_labels_become_soft_labels(tmp_path: Path) -> None:
    rows = decor_rows("1.txt", DOGS, {1: "R3 R1", 2: "R6"}, rewrites={1: "So.", 2: "DELETE"})
    (essay,) = as_training(read(tmp_path, rows))
    assert [sentence.p_incoherent for sentence in essay.sentences] == [None, 1.0, 1.0, 0.0]
    assert essay.sentences[1].reasons == (ReasonCode.R1, ReasonCode.R3)
    assert [sentence.rewrite for sentence in essay.sentences] == [None, "So.", DELETE, None]


WORDS = st.text(alphabet="ab .?\n’é🐕", min_size=1, max_size=12).filter(lambda text: text.strip())


@given(st.lists(WORDS, min_size=2, max_size=8), st.randoms(use_true_random=False), st.data())
def test_no_row_is_lost_doubled_or_moved_whatever_is_missing(
    sentences: list[str], chooser: random.Random, data: st.DataObject
) -> None:
    rows = [(" ".join(sentences[:at]), sentences[at]) for at in range(1, len(sentences))]
    kept = data.draw(st.lists(st.sampled_from(rows), min_size=1, max_size=12))
    chooser.shuffle(kept)
    rebuilt = rebuild(kept)
    places = sorted(place for essay in rebuilt for place, _ in essay.indexes)
    assert places == list(range(len(kept)))
    for essay in rebuilt:
        for place, index in essay.indexes:
            context, sentence = kept[place]
            assert essay.sentences[index].split() == sentence.split()
            before = "".join("".join(essay.sentences[:index]).split())
            assert before == "".join(context.split())
