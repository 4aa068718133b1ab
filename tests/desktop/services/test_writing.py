"""The settings become a choice of who writes; off unless the user says otherwise."""

from __future__ import annotations

from desktop.services.settings import Settings
from desktop.services.writing import NAMES, chosen_writer, host_of, recorded
from engine.writing import RULES_ALONE, WriterChoice


def test_off_is_the_default_whatever_else_is_filled_in(settings: Settings) -> None:
    assert chosen_writer(settings) == RULES_ALONE
    settings.writer_model = "small"
    settings.server_address = "http://example.org/v1"
    assert chosen_writer(settings) == RULES_ALONE
    assert recorded(chosen_writer(settings)) == "off"


def test_a_model_on_this_computer_never_brings_the_server_along(settings: Settings) -> None:
    settings.server_address = "http://example.org/v1"
    settings.writer_model = "small"
    settings.writer = "computer"
    assert chosen_writer(settings) == WriterChoice("stored", "small")


def test_a_server_never_brings_the_model_of_this_computer_along(settings: Settings) -> None:
    settings.writer_model = "small"
    settings.server_address = "http://example.org/v1"
    settings.writer = "server"
    assert chosen_writer(settings) == WriterChoice("server", "", "http://example.org/v1")


def test_no_setting_holds_a_key(settings: Settings) -> None:
    assert not any("key" in name for name in Settings.options)
    assert set(NAMES) <= set(Settings.options)


def test_the_host_is_what_the_user_should_see() -> None:
    assert host_of("http://name:secret@example.org:8080/v1") == "example.org"
    assert host_of("example.org:8080") == "example.org"
    assert host_of("") == host_of("http://[") == ""
