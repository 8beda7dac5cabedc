"""Files of art: what they may hold; all else is refused, with the file, line and element."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler: .ci/setup"),
]
ROOT = Path(__file__).parents[3]
CARDS = ROOT / "csrc/draw/cards.svg"

Make = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that reads art, with sanitizers."""
    out = tmp_path_factory.mktemp("art") / "make_art"
    sources = sorted(ROOT.glob("csrc/draw/tables/*.c"))
    flags = ["-std=c11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    folders = [f"-I{ROOT / 'csrc'}", f"-I{ROOT / 'csrc/include'}"]
    subprocess.run(["cc", *flags, *folders, *sources, "-o", out, "-lm"], check=True)
    return out


@pytest.fixture
def make(program: Path, tmp_path: Path) -> Make:
    """Reads files; the first is called art.svg, the next art1.svg."""

    def made(*files: str) -> subprocess.CompletedProcess[str]:
        paths = [tmp_path / f"art{number or ''}.svg" for number in range(len(files))]
        for path, text in zip(paths, files, strict=True):
            path.write_text(text, encoding="utf-8")
        words = [program, tmp_path / "tables.h", *paths]
        return subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)

    return made


def svg(drawn: str, more: str = "") -> str:
    """A sprite on line 2, what it has on line 3."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" stroke-linecap="round" stroke-linejoin="round">\n'
        f'<g id="one" data-size="40 56" data-card="5s" transform="translate(44 60)">\n{drawn}\n'
        f"</g>\n{more}</svg>\n"
    )


def shapes(done: subprocess.CompletedProcess[str], folder: Path) -> list[list[int]]:
    """The shapes of a table that was made: kind, fill, stroke, flags, width, and their numbers."""
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    text = (folder / "tables.h").read_text(encoding="utf-8")
    numbers = [int(each) for each in re.findall(r"-?\d+", text.split("{", 1)[1].split("}", 1)[0])]
    rows = re.search(r"art_shapes\[\] = \{\n(.*?)\n\};", text, re.DOTALL)
    assert rows
    found = []
    for row in rows[1].splitlines():
        *painted, count, first = (int(each) for each in re.findall(r"\d+", row))
        found.append([*painted, *numbers[first : first + count]])
    return found


RED = "#b4232a"
OWN = "#123456"
RED_NUMBER, OWN_NUMBER = 19, 23


@pytest.mark.parametrize(
    ("drawn", "wanted"),
    [
        (f'<rect x="1" y="2" width="3.04" height="4.06" rx=".5" fill="{RED}"/>',
         [[0, RED_NUMBER, 0, 0, 0, 10, 20, 30, 41, 5]]),
        (f'<circle r="2px" fill="none" stroke="{OWN}"/>'.replace("px", ""),
         [[1, 0, OWN_NUMBER, 0, 10, 0, 0, 20]]),
        (f'<circle style="fill:{RED}; stroke : {OWN};stroke-width:1.5px" fill="none" r="2"/>',
         [[1, RED_NUMBER, OWN_NUMBER, 0, 15, 0, 0, 20]]),
        (f'<line x1="1" x2="-2" y2="3" stroke="{RED}"/>',
         [[3, 0, RED_NUMBER, 0, 10, 10, 0, -20, 30]]),
        (f'<polyline points="1,2 3,4" fill="none" stroke="{RED}"/>',
         [[3, 0, RED_NUMBER, 0, 10, 10, 20, 30, 40]]),
        (f'<polygon points="1 2 3 4 5 0" fill="{RED}" stroke="{OWN}"/>',
         [[4, RED_NUMBER, 0, 0, 0, 10, 20, 30, 40, 50, 0],
          [3, 0, OWN_NUMBER, 0, 10, 10, 20, 30, 40, 50, 0, 10, 20]]),
        (f'<path d="M1 2L3,4H5V6h-1v-2.5l-1-1z" fill="{RED}"/>',
         [[4, RED_NUMBER, 0, 0, 0, 10, 20, 30, 40, 50, 40, 50, 60, 40, 60, 40, 35, 30, 25]]),
        (f'<path d="m1 1 2 0 0 2M9-9 8 8 z l1 1" fill="none" stroke="{RED}"/>',
         [[3, 0, RED_NUMBER, 0, 10, 10, 10, 30, 10, 30, 30],
          [3, 0, RED_NUMBER, 0, 10, 90, -90, 80, 80, 90, -90],
          [3, 0, RED_NUMBER, 0, 10, 90, -90, 100, -80]]),
        (f'<text x="1" y="2" font-size="20" font-weight="bold" text-anchor="middle" fill="{RED}" '
         'textLength="9">A&#32;</text>'.replace("&#32;", " "),
         [[2, RED_NUMBER, 0, 5, 0, 10, 20, 200, 90, 65, 32]]),
        (f'<g fill="{RED}" transform="translate(1,2)"><circle transform="translate(10)" r="1"/>'
         '<use href="#part" x="3" y="4"/></g>',
         [[1, RED_NUMBER, 0, 0, 0, 110, 20, 10], [1, RED_NUMBER, 0, 0, 0, 90, 60, 30]]),
    ],
)  # fmt: skip
def test_what_is_drawn(make: Make, tmp_path: Path, drawn: str, wanted: list[list[int]]) -> None:
    more = '<defs>\n<circle id="part" cx="5" r="3"/>\n</defs>\n'
    assert shapes(make(svg(drawn, more)), tmp_path) == wanted


def test_what_editors_keep_for_themselves_is_skipped(make: Make, tmp_path: Path) -> None:
    drawn = (
        f'<!-- < --><rect width="1" height="1" fill="{RED}" inkscape:label="a" '
        'style="-inkscape-stroke:none;opacity:1"><title>Hello</title></rect>'
        "<sodipodi:namedview><a>x</a></sodipodi:namedview>"
    )
    more = "<metadata>About <b>this</b></metadata>\n"
    done = make('<?xml version="1.0"?>\n<!DOCTYPE svg>\n' + svg(drawn, more))
    assert shapes(done, tmp_path) == [[0, RED_NUMBER, 0, 0, 0, 0, 0, 10, 10, 0]]


def test_equal_shapes_share_their_numbers(make: Make, tmp_path: Path) -> None:
    one, other = (f'<polygon points="1 2 3 4 5 0" fill="{fill}"/>' for fill in (RED, OWN))
    assert len(shapes(make(svg(one + other)), tmp_path)) == 2
    text = (tmp_path / "tables.h").read_text(encoding="utf-8")
    assert re.search(r"art_numbers\[\] = \{\n10,20,30,40,50,0,\n\}", text)


CIRCLE = f'<circle r="1" fill="{RED}"/>'
LINE = f'<line x2="1" stroke="{RED}"/>'


@pytest.mark.parametrize(
    ("drawn", "line", "element", "said"),
    [
        ('<path d="M0 0C1 1 2 2 3 3" fill="#000000"/>', 3, "path", 'd: "C" is none of M L H V Z'),
        ('<path d="M0 0L1" fill="#000000"/>', 3, "path", "d: a number is missing"),
        ('<path d="" fill="#000000"/>', 3, "path", "d: it has no lines"),
        ('<path d="M0 0L1 0L0 1ZM2 2L3 3L2 3Z" fill="#000000"/>', 3, "path", "holes"),
        ('\n\n<ellipse rx="1"/>', 5, "ellipse", "art has no such element"),
        ('<circle r="1" fill="red"/>', 3, "circle", '"red" is no colour'),
        ('<circle r="1" fill="#12345g"/>', 3, "circle", "#rrggbb"),
        ('<circle r="1"/>', 3, "circle", "it has no fill"),
        ('<circle r="1" fill="none"/>', 3, "circle", "it paints nothing"),
        ('<circle fill="#000000"/>', 3, "circle", "it needs a r above 0"),
        ('<circle r="1e9" fill="#000000"/>', 3, "circle", "too far away"),
        ('<circle r="nan" fill="#000000"/>', 3, "circle", '"nan" is no number'),
        ('<circle r="0x9" fill="#000000"/>', 3, "circle", '"0x9" is no number'),
        ('<circle r="1" r="2" fill="#000000"/>', 3, "circle", "it has r twice"),
        ('<circle r="1" fill="#000000" opacity="0.5"/>', 3, "circle", 'opacity: "0.5" cannot'),
        ('<circle r="1" fill="#000000" filter="x"/>', 3, "circle", "filter: it may have no such"),
        ('<circle r="1" style="fill:#000000;x:1"/>', 3, "circle", 'style: "x:1" cannot be drawn'),
        ('<circle r="1" fill="#000000" transform="scale(2)"/>', 3, "circle", "translate(x y) can"),
        ('<rect width="1" height="1" rx="1" ry="2" fill="#000000"/>', 3, "rect", "rx and ry"),
        ('<polyline points="1 2 3" fill="none" stroke="#000000"/>', 3, "polyline", "has no y"),
        ('<polygon points="1 2 3 4" fill="#000000"/>', 3, "polygon", "too few points"),
        ('<line x2="1" stroke="#000000" stroke-linecap="butt"/>', 3, "line", "round can"),
        ('<text font-size="9" fill="#000000">Ä</text>', 3, "text", "printable ASCII"),
        ('<text font-size="9" fill="#000000">a>b</text>', 3, "text", "without < > &"),
        ('<text font-size="9" fill="#000000"/>', 3, "text", "it has no text"),
        ('<text fill="#000000">A</text>', 3, "text", "it needs a font-size"),
        ('<use href="#nothing"/>', 3, "use", "no element of this file has the id nothing"),
        ('<g id="g"><use href="#g"/></g>', 3, "g", "uses itself"),
        (f'{CIRCLE}<g id="x"/><g id="x"/><use href="#x"/>', 3, "use", "more than one element"),
        (f"{CIRCLE}<g>\n{CIRCLE}", 2, "g", "it has no closing tag"),
        (f"{CIRCLE} 5 ", 3, "circle", "text behind it"),
        (f'{CIRCLE}<g id="two" data-size="1 1"/>', 3, "g", "a sprite stands directly in <svg>"),
        ("", 2, "g", "the sprite one has no shapes"),
        ("<!--", 2, "g", "there is no --> to what begins"),
        ("<rect width=1/>", 3, "rect", "not in quotes"),
    ],
)  # fmt: skip
def test_all_else_is_refused(make: Make, drawn: str, line: int, element: str, said: str) -> None:
    done = make(svg(drawn))
    assert done.returncode == 1, done.stderr
    assert re.search(rf"art\.svg:{line}: <{element}>: ", done.stderr)
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ((svg(CIRCLE), svg(CIRCLE)), r"art1\.svg:2: <g>: the sprite one is in \S*art\.svg already"),
        ((svg(CIRCLE).replace("40 56", "40"),), r'art\.svg:2: <g>: data-size="40" is not a width'),
        ((svg(CIRCLE).replace("40 56", "40 0"),), "whole units"),
        ((svg(CIRCLE).replace('"one"', '"1"'),), "a sprite needs an id"),
        ((svg(CIRCLE).replace('"one"', f'"{"a" * 32}"'),), "shorter than 32"),
        ((svg(CIRCLE).replace('"5s"', "'\"'"),), "data-card: it may have printable ASCII"),
        ((svg(CIRCLE, CIRCLE),), r"art\.svg:5: <circle>: in <svg> stand sprites"),
        ((svg(LINE).replace("xmlns", "class"),), "class: it may have no such attribute"),
        ((svg(LINE).replace(' stroke-linecap="round"', ""),), r":3: <line>: lines .* round ends"),
        ((svg(LINE).replace(' stroke-linejoin="round"', ""),), r":3: <line>: lines .* round ends"),
        (("<html/>",), "does not begin with <svg>"),
        (("",), "does not begin with <svg>"),
        ((svg(CIRCLE).replace("</svg>", ""),), "the file ends before </svg>"),
        ((svg(CIRCLE) + "\0",), "is no text"),
    ],
)  # fmt: skip
def test_files_that_are_no_sheets_are_refused(make: Make, files: tuple[str], said: str) -> None:
    done = make(*files)
    assert done.returncode == 1
    assert re.search(said, done.stderr), done.stderr


@pytest.mark.slow
def test_damaged_files_are_refused_or_read(make: Make) -> None:
    """Whatever bytes a file has, nothing is read beyond its end; the sanitizers would say so."""
    sheet = CARDS.read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join([*sheet[:30], "</defs>\n", *sheet[-40:]])
    dice = random.Random(5)
    refused = 0
    for _ in range(150):
        damaged = list(text)
        for _ in range(dice.choice((1, 1, 3))):
            place = dice.randrange(len(damaged))
            damaged[place] = dice.choice(["", '"', "<", ">", "/", "#", "-", "9", ".", " ", "\x7f"])
        whole = "".join(damaged)
        done = make(whole[: dice.choice((len(whole), dice.randrange(len(whole))))])
        assert done.returncode in (0, 1), done.stderr
        assert "Sanitizer" not in done.stderr
        assert "runtime error" not in done.stderr
        refused += done.returncode
    assert refused > 30
