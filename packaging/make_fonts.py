"""Cut the fonts under resources/fonts out of the whole Noto fonts.

    python packaging/make_fonts.py --noto FOLDER --cjk NotoSansCJK-Regular.ttc --emoji FOLDER

`--noto` holds the Noto fonts as .ttf (Debian: fonts-noto-core), `--cjk` is the collection with
Noto Sans CJK SC (Debian: fonts-noto-cjk), `--emoji` holds the pieces of Noto Emoji as .woff2
(npm: @fontsource/noto-emoji, `package/files`). Needs fonttools and brotli. It is only run to
renew the fonts: a check-out holds what it made, with a list of every character that is covered.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from fontTools import subset
from fontTools.merge import Merger
from fontTools.ttLib import TTFont

FONTS = Path(__file__).resolve().parent.parent / "resources" / "fonts"
MOST_BYTES = 950_000
"""No file of the repository is larger than a megabyte."""

LATIN = (
    (0x20, 0x7E), (0xA0, 0x24F), (0x250, 0x2AF), (0x2B0, 0x36F), (0x370, 0x3FF), (0x400, 0x52F),
    (0x1E00, 0x1EFF), (0x2000, 0x206F), (0x2070, 0x209F), (0x20A0, 0x20C0), (0x20D0, 0x20F0),
    (0x2100, 0x214F), (0x25CC, 0x25CC), (0xFB00, 0xFB06), (0xFE00, 0xFE0F), (0xFFFC, 0xFFFD),
)  # fmt: skip
MATHS = ((0x2100, 0x218F), (0x2190, 0x22FF), (0x2300, 0x23FF), (0x25A0, 0x25FF), (0x1D400, 0x1D7FF))
SYMBOLS = ((0x2190, 0x21FF), (0x2460, 0x24FF), (0x2500, 0x25FF), (0x2600, 0x27BF))
EVERYTHING = ((0x20, 0x10FFFF),)

SCRIPTS = (
    "NaskhArabic", "SansHebrew", "SansDevanagari", "SansBengali", "SansGurmukhi", "SansGujarati",
    "SansOriya", "SansTamil", "SansTelugu", "SansKannada", "SansMalayalam", "SansSinhala",
    "SansThai", "SansLao", "SansKhmer", "SansMyanmar", "SansEthiopic", "SansGeorgian",
    "SansArmenian",
)  # fmt: skip

# Characters of present-day Chinese names that are in no national standard's basic set.
NAMES = (
    "喆堃珺翀祎旻昇珏琰璟瑄玥玮琦瑾璇璐琪琳瑶瑜瑞珂珊珮婷媛婧妍娅嫣姝妤姣娉烨煜焜炜炫煊熠燊"
    "晟昱晗昕昀晔暄曦昊旸晞沅沁沐泓洺洵浠涵淇淼渊湉湘溪滢澍澔濡瀚灏芃芊芮苒苡茗荃荔莀莎莞菡菲萱"
    "葳蓁蓓蔚蕙薇薏蘅钰铄铉铖锴锶鑫镕骁骅骏骐骞麒麟皓皛睿砚祺禛禹禾秣稷穆笙筠箐羿翊翎翛翾耘聿"
    "宸宥寰峥峻嵘嵩巍忻怡恺恒悦惟愫懿扬拓挺斐斓朗杪杭柠柯栩桐桓梓梵棠棣楚楠榕槿樾毓烽倩倬偲俪"
    "佟仝仇卞厍邝邬邰郗郜郝鄢闫阙隗霭靳鞠頔颢颖馨䶮囍淏玟彧"
)


def chinese_japanese_korean() -> set[int]:
    """The everyday characters of mainland China, Taiwan, Japan and Korea."""
    found = {ord(character) for character in NAMES}
    lead, trail = range(0x81, 0xFF), range(0x40, 0xFF)
    for encoding, leads in {
        "gb2312": lead,
        "big5": range(0xA1, 0xC7),  # the frequent half of Big5
        "shift_jis": lead,
        "euc_kr": range(0xA1, 0xFF),
    }.items():
        for first in leads:
            for second in trail:
                try:
                    text = bytes((first, second)).decode(encoding)
                except UnicodeDecodeError:
                    continue
                found.update(ord(character) for character in text)
    return {code for code in found if code >= 0x2E80}


def codes(ranges: Iterable[tuple[int, int]]) -> set[int]:
    """All code points of some ranges."""
    return {code for start, end in ranges for code in range(start, end + 1)}


def cut(font: TTFont, wanted: set[int], target: Path, family: str | None = None) -> set[int]:
    """Write the part of `font` for the wanted characters; say which of them it has."""
    options = subset.Options(
        hinting=False, layout_features=["*"], name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14, 16, 17],
        notdef_outline=True, glyph_names=False, drop_tables=["BASE", "VORG", "vhea", "vmtx", "DSIG"],
    )  # fmt: skip
    if family is not None:
        options.layout_features = ["ccmp", "kern", "mark", "mkmk"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=wanted)
    cutter.subset(font)
    if family is not None:
        rename(font, family)
    font.save(target)
    return set(font.getBestCmap()) & wanted


def rename(font: TTFont, family: str) -> None:
    """Give the font another family name."""
    names = {1: family, 2: "Regular", 3: family, 4: family, 6: family.replace(" ", "")}
    for record in list(font["name"].names):
        if record.nameID in (1, 2, 3, 4, 6, 16, 17):
            font["name"].removeNames(record.nameID)
    for name_id, text in names.items():
        font["name"].setName(text, name_id, 3, 1, 0x409)
    if "CFF " in font:
        top = font["CFF "].cff
        top.fontNames = [names[6]]
        top.topDictIndex[0].FamilyName = top.topDictIndex[0].FullName = family


def family_of(path: Path) -> str:
    """The family name that the font file itself gives."""
    font = TTFont(path)
    return str(font["name"].getDebugName(16) or font["name"].getDebugName(1))


def cut_cjk(collection: Path) -> tuple[list[Path], set[int]]:
    """The CJK font in pieces of less than a megabyte, each a family of its own."""
    wanted = sorted(chinese_japanese_korean())
    number = next(n for n in range(20) if "CJK SC" in _face_name(collection, n))
    files: list[Path] = []
    covered: set[int] = set()
    while wanted:
        size = 3600
        while True:
            piece = wanted[:size]
            target = FONTS / f"NotoSansCJKsc-Part{len(files) + 1}.otf"
            font = TTFont(collection, fontNumber=number)
            got = cut(font, set(piece), target, f"Noto Sans CJK SC Part {len(files) + 1}")
            if target.stat().st_size <= MOST_BYTES:
                break
            size = int(size * 0.98 * MOST_BYTES / target.stat().st_size)
        files.append(target)
        covered |= got
        wanted = wanted[size:]
    return files, covered


def _face_name(collection: Path, number: int) -> str:
    return str(TTFont(collection, fontNumber=number)["name"].getDebugName(4))


def cut_emoji(folder: Path) -> tuple[Path, set[int]]:
    """Noto Emoji, black and white, put together from its pieces and cut to one weight."""
    pieces = sorted(folder.glob("noto-emoji-*-400-normal.woff2"))
    made: list[str] = []
    for piece in pieces:
        font = TTFont(piece)
        font.flavor = None
        target = FONTS / f"{piece.stem}.tmp.ttf"
        font.save(target)
        made.append(str(target))
    merged = Merger().merge(made)
    target = FONTS / "NotoEmoji-Regular.ttf"
    wanted = set(merged.getBestCmap()) - codes(((0x20, 0xA8), (0x200B, 0x206F)))
    covered = cut(merged, wanted, target, "Noto Emoji")
    for name in made:
        Path(name).unlink()
    return target, covered


def ranges(covered: set[int]) -> list[list[int]]:
    """The code points as closed ranges."""
    found: list[list[int]] = []
    for code in sorted(covered):
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def main() -> None:
    """Make every font and the list of what they cover."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--noto", type=Path, required=True)
    parser.add_argument("--cjk", type=Path, required=True)
    parser.add_argument("--emoji", type=Path, required=True)
    arguments = parser.parse_args()
    covered: set[int] = set()
    files: list[Path] = []

    def add(source: str, wanted: set[int]) -> None:
        target = FONTS / f"{source}.ttf"
        covered.update(cut(TTFont(arguments.noto / f"{source}.ttf"), wanted, target))
        files.append(target)

    for style in ("Regular", "Bold", "Italic"):
        add(f"NotoSans-{style}", codes(LATIN))
    for script in SCRIPTS:
        add(f"Noto{script}-Regular", codes(EVERYTHING) - codes(((0x30, 0x39), (0x41, 0x24F))))
    add("NotoSansMath-Regular", codes(MATHS))
    add("NotoSansSymbols-Regular", codes(SYMBOLS))
    add("NotoSansSymbols2-Regular", codes(SYMBOLS))
    for made, got in (cut_emoji(arguments.emoji), cut_cjk(arguments.cjk)):
        files += [made] if isinstance(made, Path) else made
        covered |= got
    record = {
        "families": list(dict.fromkeys(family_of(path) for path in files)),
        "ranges": ranges(covered),
    }
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    (FONTS / "coverage.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
