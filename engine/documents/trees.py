"""Slots in an XML tree."""

from __future__ import annotations

from typing import Literal

from lxml import etree

from engine.documents.archives import local_name


class TextSlot:
    """The characters inside or right after an element."""

    def __init__(self, element: etree._Element, where: Literal["text", "tail"] = "text") -> None:
        self.element = element
        self.where = where

    @property
    def value(self) -> str:
        """The characters that stand there."""
        return (self.element.text if self.where == "text" else self.element.tail) or ""

    def replace(self, start: int, end: int, new: str) -> None:
        """Replace some of the characters."""
        value = self.value
        changed = value[:start] + new + value[end:]
        if self.where == "text":
            self.element.text = changed
        else:
            self.element.tail = changed


def remove_keeping_tail(element: etree._Element) -> None:
    """Take an element out of its tree; the text after it stays."""
    parent = element.getparent()
    if parent is None:
        return
    tail = element.tail or ""
    before = element.getprevious()
    parent.remove(element)
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail


def has_any(element: etree._Element, names: frozenset[str]) -> bool:
    """Whether an element of one of these local names lies inside."""
    return any(local_name(inner) in names for inner in element.iter())
