"""Other ways to the package: containers, conda, an editor's container."""

from __future__ import annotations

import json
import re
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import mhing

tomllib = pytest.importorskip("tomllib")  # of Python 3.11

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[3]
RECIPE = ROOT / "python/deploy/recipe.yaml"
LINTER = Path(sysconfig.get_path("scripts")) / "hadolint"
LATEST = ("DL3008", "DL3013")
"""Rules against packages without a version: an image gets what Debian and pip have then."""


@pytest.fixture
def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return found


@pytest.mark.skipif(not LINTER.exists(), reason="hadolint is missing; the extra `test` has it")
@pytest.mark.parametrize("folder", ["python/deploy", "csrc/server/deploy", "python/mhing/openenv"])
def test_a_container_file_has_no_known_fault(folder: str) -> None:
    options = [word for rule in LATEST for word in ("--ignore", rule)]
    done = subprocess.run(
        [LINTER, "--no-color", *options, ROOT / folder / "Containerfile"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_images_run_as_no_root_and_know_their_commands() -> None:
    from mhing.cli import make_parser

    text = (ROOT / "python/deploy/Containerfile").read_text(encoding="utf-8")
    _, base, *images = re.split(r"^(?=FROM debian\S+ AS base|FROM base)", text, flags=re.MULTILINE)
    assert re.search(r"^USER [1-9]\d*$", base, re.MULTILINE)
    (entry,) = re.findall(r"^ENTRYPOINT (.*)$", base, re.MULTILINE)
    assert json.loads(entry) == ["mhing"]
    assert len(images) == 2
    for image in images:
        assert "USER" not in image
        (command,) = re.findall(r"^CMD (.*)$", image, re.MULTILINE)
        words = json.loads(command)
        if words[-1] != "--help":
            make_parser().parse_args(words)


@pytest.mark.parametrize("platform", ["linux-64", "osx-arm64", "win-64"])
def test_the_conda_recipe_asks_for_what_the_package_does(
    platform: str, project: dict[str, Any]
) -> None:
    from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig

    names = VariantConfig({"c_compiler": ["gcc"], "c_stdlib": ["sysroot"]})
    settings = RenderConfig(PlatformConfig(target_platform=platform))
    (variant,) = Stage0Recipe.from_file(RECIPE).render(names, settings)
    recipe = variant.recipe.to_dict()
    package, metadata = recipe["requirements"], project["project"]
    python = f"python{metadata['requires-python']}"
    server = [] if platform == "win-64" else ["zeromq", "msgpack-c"]
    assert written(package["run"]) == [python, *metadata["dependencies"]]
    host = [python, "pip", *project["build-system"]["requires"], *server]
    assert written(package["host"]) == host
    tool = project["tool"]["scikit-build"]["cmake"]["version"]
    assert f"cmake {tool}" in package["build"]
    assert recipe["package"] == {"name": "mhing", "version": mhing.__version__}
    assert recipe["about"]["summary"] == metadata["description"]
    assert recipe["about"]["license_file"] == metadata["license-files"]
    assert (ROOT / "python/deploy" / recipe["source"][0]["path"]).resolve() == ROOT


def written(requirements: list[str]) -> list[str]:
    """Requirements of conda as pip writes them."""
    return [one.replace(" ", "") for one in requirements]


def test_the_container_of_editors_makes_the_environment_of_those_who_change_the_project() -> None:
    settings = json.loads((ROOT / ".devcontainer/devcontainer.json").read_bytes())
    assert settings["onCreateCommand"].endswith(" && .ci/develop")
    made = re.search(r"^python3 -m venv (\S+)$", (ROOT / ".ci/develop").read_text(), re.MULTILINE)
    assert made
    assert settings["remoteEnv"]["PATH"].startswith(f"${{containerWorkspaceFolder}}/{made[1]}/bin:")
    editor = settings["customizations"]["vscode"]["settings"]
    assert editor["python.defaultInterpreterPath"] == f"{made[1]}/bin/python"
