"""The DECOR annotation scheme: seven reasons for incoherence and their four groups.

Source: Zhang et al., DECOR: Improving Coherence in L2 English Writing (EMNLP 2024),
section 3 and Table 1. The plain-English wording is ours, for learners at B1 and above.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Group(StrEnum):
    """The four sub-tasks of incoherence reasoning (DECOR, section 5.2)."""

    COHESION = "cohesion"
    CONSISTENCY = "consistency"
    RELEVANCE = "relevance"
    OTHERS = "others"


class ReasonCode(StrEnum):
    """R1-R7, in the paper's order."""

    R1 = "R1"
    R2 = "R2"
    R3 = "R3"
    R4 = "R4"
    R5 = "R5"
    R6 = "R6"
    R7 = "R7"


CODES: tuple[ReasonCode, ...] = tuple(ReasonCode)


@dataclass(frozen=True, slots=True)
class ReasonInfo:
    """What a reason code means: its group, a short tag, a sentence for learners, the advice."""

    code: ReasonCode
    group: Group
    name: str
    tag: str
    meaning: str
    advice: str


SCHEME: dict[ReasonCode, ReasonInfo] = {
    info.code: info
    for info in (
        ReasonInfo(
            ReasonCode.R1,
            Group.COHESION,
            "Semantic connection",
            "Weak link",
            "The sentence does not pick up a word or an idea from the text before it.",
            "Repeat a key word, or use a word that points back to the idea before.",
        ),
        ReasonInfo(
            ReasonCode.R2,
            Group.COHESION,
            "Entity reference",
            "Unclear reference",
            "The sentence refers to someone or something that the reader cannot find before it.",
            "Name the person or thing, or connect it to one already mentioned.",
        ),
        ReasonInfo(
            ReasonCode.R3,
            Group.COHESION,
            "Discourse relation",
            "Linking word",
            "The linking word is missing, does not fit, or is too informal for an essay.",
            "Add, change or remove the linking word so that it shows the right relation.",
        ),
        ReasonInfo(
            ReasonCode.R4,
            Group.CONSISTENCY,
            "Consistency",
            "Contradiction",
            "The sentence goes against something that you wrote before.",
            "Make the sentence agree with your earlier point.",
        ),
        ReasonInfo(
            ReasonCode.R5,
            Group.RELEVANCE,
            "Contextual relevance",
            "Off topic",
            "The sentence has nothing to do with the text before it.",
            "Delete it, or say how it belongs to your topic.",
        ),
        ReasonInfo(
            ReasonCode.R6,
            Group.RELEVANCE,
            "Tangential relevance",
            "Side remark",
            "The sentence moves away from your argument or adds nothing new to it.",
            "Delete it, or show how it supports your point.",
        ),
        ReasonInfo(
            ReasonCode.R7,
            Group.OTHERS,
            "Topic and comment",
            "Does not fit together",
            "The parts of the sentence do not make sense together.",
            "Change the part that clashes, so that what you say fits what you say it about.",
        ),
    )
}


def group_of(code: ReasonCode) -> Group:
    """The sub-task that a reason code belongs to."""
    return SCHEME[code].group
