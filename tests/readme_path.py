"""Walks README as a newcomer: each command in the order in which it stands, in one clone and shell.

    python tests/readme_path.py [FOLDER]      FOLDER: where the clone is made (a temporary one)
    python tests/readme_path.py --wheel       without one: what pip installs, as in .ci/rehearse

What `pip install` lines in sentences name is installed when they are reached; with --all also the
extras with PyTorch, which are gigabytes. What serves until it is ended is ended once it serves. Not
run: what checks or changes the sources, from "Contributing" on and `.ci/check`; with --wheel also
what names a file of the repository.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests/python/helpers"))

import pages  # noqa: E402

LARGE = ("sb3", "train")
SERVES = "it serves until it is ended"
OF_WHEEL = "it installs a wheel"
SECONDS = 20  # until what serves has said so
END = "==== end of a step"


def main() -> None:
    """Run the command; it ends with 1 at the first step that fails."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--all", action="store_true", help="also extras that are gigabytes")
    parser.add_argument("--wheel", action="store_true", help="as a user of the wheel")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (args.folder or Path(temporary)) / "mhing"
        if args.wheel:
            folder.mkdir()
        else:
            subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
        walk(folder, args.all, args.wheel)


def walk(folder: Path, is_all: bool, is_wheel: bool) -> None:
    """Run the steps of README in one shell, in a clone or an empty folder."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Contributing\n")[0]
    with subprocess.Popen(
        ["bash", "--norc"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    ) as shell:  # fmt: skip
        assert shell.stdin
        assert shell.stdout
        for name, code in steps(text, is_all, is_wheel):
            begun = time.monotonic()
            shell.stdin.write(f"{code}\necho; echo '{END}' $?\n")
            shell.stdin.flush()
            said: list[str] = []
            while not (said and said[-1].startswith(END)):
                said.append(line := shell.stdout.readline())
                if not line:
                    break
            status = said.pop().split()[-1] if said[-1] else "the shell has ended"
            print(f"{time.monotonic() - begun:7.1f} s  {name}: {status}", flush=True)
            if status != "0":
                print("".join(said[-20:]))
                sys.exit(1)
        shell.stdin.close()


def steps(text: str, is_all: bool, is_wheel: bool) -> list[tuple[str, str]]:
    """The name and the shell's code of each step, in the order of the page."""
    found = [
        (text.count("\n", 0, one.start()) + 1, f"pip install -q {one[1]}", one[1])
        for one in re.finditer(r"`pip install ('mhing\[[a-z_\d]+\]')`", text)
    ]
    for block in pages.blocks_of("README.md", text):
        if "needs sb3_contrib" in block.notes and not is_all:
            continue
        if names_a_file(block.code) if is_wheel else block.why_not == OF_WHEEL:
            continue
        code = block.code.rstrip("\n")
        if block.language == "python":
            code = f"python -W error - <<'EOF_PYTHON'\n{block.code_to_run()}EOF_PYTHON"
            if block.needs_server:
                code = f"{SERVE}\n{code}\nstatus=$?; kill $!; wait; (exit $status)"
        elif block.why_not == SERVES:
            code = f"timeout -s INT {SECONDS} {code} --no-open; [ $? = 124 ]"
        elif ".ci/check" in code:
            continue
        found.append((block.line, code, block.code.splitlines()[0]))
    named = [(f"line {line}, {first}", code) for line, code, first in sorted(found)]
    large = [] if is_all else [f"[{extra}]" for extra in LARGE]
    return [(name, code) for name, code in named if not any(one in code for one in large)]


def names_a_file(code: str) -> bool:
    """True for commands that work in a clone alone."""
    return any("/" in word and (ROOT / word).exists() for word in code.split())


SERVE = f"mhing serve --bind {pages.ENDPOINT} & sleep 3"

if __name__ == "__main__":
    main()
