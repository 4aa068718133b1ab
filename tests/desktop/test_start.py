"""Starting: what is missing is told before Qt ends the program, and no model runtime comes in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.app import CANNOT_START, main, start_hint
from engine.system_libraries import SystemLibrary

CURSOR = SystemLibrary("libxcb-cursor.so.0", "libxcb-cursor0", "window")
EGL = SystemLibrary("libEGL.so.1", "libegl1", "import")


def test_a_missing_xcb_cursor_is_named_with_its_package() -> None:
    hint = start_hint(platform="linux", environment={"DISPLAY": ":0"}, missing=lambda: (CURSOR,))
    assert "libxcb-cursor0" in hint
    assert "apt-get install" in hint


@pytest.mark.parametrize(
    "environment", [{"QT_QPA_PLATFORM": "offscreen"}, {"WAYLAND_DISPLAY": "w"}]
)
def test_x11_libraries_matter_on_x11_only(environment: dict[str, str]) -> None:
    assert start_hint(platform="linux", environment=environment, missing=lambda: (CURSOR,)) == ""
    assert "libegl1" in start_hint(
        platform="linux", environment=environment, missing=lambda: (CURSOR, EGL)
    )


def test_a_machine_without_a_screen_is_sent_to_the_command_line() -> None:
    assert "segue check" in start_hint(platform="linux", environment={}, missing=lambda: ())


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_other_systems_need_no_look(platform: str) -> None:
    assert start_hint(platform=platform, environment={}, missing=lambda: (CURSOR,)) == ""


def test_main_says_the_hint_and_leaves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("desktop.app.start_hint", lambda: "Install this.")
    assert main([]) == CANNOT_START
    assert capsys.readouterr().err == "Install this.\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fontconfig is Linux's own")
def test_a_system_without_fonts_still_shows_letters(tmp_path: Path) -> None:
    fonts = tmp_path / "fonts.conf"
    fonts.write_text(f"<fontconfig><dir>{tmp_path}</dir></fontconfig>", encoding="utf-8")
    code = (
        "from PySide6.QtGui import QFont, QFontMetrics\n"
        "from desktop.composition import make_application\n"
        "font = QFont(make_application().font())\n"
        "wide, narrow = (QFontMetrics(font).horizontalAdvance(c) for c in 'Wi')\n"
        "assert font.family() == 'Noto Sans', font.family()\n"
        "assert wide > 2 * narrow, (wide, narrow)\n"
    )
    environment = {**os.environ, "FONTCONFIG_FILE": str(fonts), "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, env=environment)


def test_building_the_window_imports_no_model_runtime() -> None:
    code = (
        "import sys, desktop.composition\n"
        "bad = {'torch', 'transformers', 'onnxruntime', 'llama_cpp', 'tokenizers', 'numpy',"
        " 'engine.pipeline', 'docx', 'pypdfium2'} & set(sys.modules)\n"
        "assert not bad, bad\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
