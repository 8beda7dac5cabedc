"""Models and recordings as folders that a model hub takes: the files, and their upload.

>>> from mhing import publish
>>> made = publish.of_model("mhing/credits")
>>> made.kind, [*made.files][:3]
('model', ['README.md', 'config.json', 'model.net'])

With the extra ``mhing[safetensors]`` a model has ``model.safetensors`` as well. The command is
``mhing publish``.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from mhing import models
from mhing._support.extras import install
from mhing.data import Parquet, recording
from mhing.models import own
from mhing.records import verified
from mhing.train.folder import EVALUATION, LOG, SETTINGS, RunFolder

TAGS = ["reinforcement-learning", "card-game", "imperfect-information", "mhing"]


@dataclass(frozen=True)
class Layout:
    """The content of a repository at a hub."""

    kind: Literal["model", "dataset"]
    files: Mapping[str, bytes | Path]
    """The content by path in the repository, or a file that has it."""

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each file."""
        return {
            name: len(it) if isinstance(it, bytes) else it.stat().st_size
            for name, it in self.files.items()
        }

    def write(self, folder: str | Path) -> None:
        """Write the files to a new folder.

        Raises:
            FileExistsError: the folder exists.
            OSError: it cannot be written.
        """
        place = Path(folder)
        if place.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place))
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".") as beside:
            made = Path(beside) / "made"
            for name, it in self.files.items():
                path = made / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if isinstance(it, bytes):
                    path.write_bytes(it)
                else:
                    shutil.copyfile(it, path)
            made.rename(place)

    def upload(self, repository: str, client: Any = None) -> str:
        """Upload the files in one commit, to a repository that is made if need be.

        Args:
            repository: ``"OWNER/NAME"``.
            client: a ``huggingface_hub.HfApi``; None: one with the token that it finds.

        Returns:
            The address of the commit.

        Raises:
            ModuleNotFoundError: huggingface_hub is missing (extra ``mhing[hub]``).
            OSError: it cannot be reached, or it refuses.
        """
        client = _client() if client is None else client
        with tempfile.TemporaryDirectory() as folder:
            self.write(Path(folder) / "files")
            client.create_repo(repository, repo_type=self.kind, exist_ok=True)
            done = client.upload_folder(
                repo_id=repository,
                repo_type=self.kind,
                folder_path=Path(folder) / "files",
                commit_message="Published by mhing publish",
            )
        return str(done)


def of_model(name: str) -> Layout:
    """Lay out a model of the package: card, configuration and weights.

    Raises:
        ValueError: there is none of that name.
    """
    model = models.named(name)
    head = {
        "license": models.LICENCE.lower(),
        "library_name": "mhing",
        "pipeline_tag": "reinforcement-learning",
        "tags": _tags(model.game),
    }
    config = asdict(model) | {
        "layers": [list(weights.shape) for weights, _ in model.layers()],
        "features": [asdict(one) for one in model.make_game().features],
    }
    files = {
        "README.md": _page(head, models.card(model)),
        "config.json": _json(config),
        "model.net": model.data(),
    }
    if find_spec("safetensors"):
        files["model.safetensors"] = models.weights(model, ".safetensors")
    return Layout("model", files)


def of_path(path: str | Path, licence: str = "") -> Layout:
    """Lay out what a user has made.

    Args:
        path: the folder of a run of ``mhing train``; a file ``.net`` or ``.onnx`` that plays; a
            record, ``.jsonl``; or a recording for :func:`of_recording`.
        licence: its licence, as an SPDX identifier; empty: that of :func:`of_recording`, or none.

    Raises:
        ValueError: it is nothing of these.
        ModuleNotFoundError: an extra is missing.
        OSError: it cannot be read.
    """
    place = Path(path)
    if (place / SETTINGS).exists():
        return of_run(place, licence)
    if place.suffix in own.KINDS:
        return _of_own(own.card_of_file(place, licence), [place], [], licence)
    if place.suffix == ".jsonl":
        return of_records(place, licence)
    return of_recording(place, licence or recording.LICENCE)


def of_run(path: str | Path, licence: str = "") -> Layout:
    """Lay out a run: what it has learned, its settings, its log, and a card of what these say.

    Raises:
        ValueError: it is no run, or it is not over.
        ModuleNotFoundError: an extra is missing.
    """
    run = RunFolder.open(path)
    files = sorted(one for one in run.path.iterdir() if one.suffix in own.KINDS)
    if not files:
        raise ValueError(
            f"{path}: the run is not over; mhing train --resume {path} continues it and writes "
            "what plays"
        )
    card = own.card_of_run(run, files, licence)
    files += [one for name in (SETTINGS, LOG, EVALUATION) if (one := run.path / name).exists()]
    return _of_own(card, files, [run.settings.game], licence)


def _of_own(card: str, files: list[Path], games: list[str], licence: str) -> Layout:
    """The layout of a model of a user."""
    head = _licence(licence) | {
        "library_name": "mhing",
        "pipeline_tag": "reinforcement-learning",
        "tags": _tags(*games),
    }
    return Layout("model", {"README.md": _page(head, card), **_placed(files)})


def _placed(files: list[Path], folder: str = "") -> dict[str, bytes | Path]:
    """Files by their paths in a repository."""
    return {f"{folder}{one.name}": one for one in files}


def of_records(path: str | Path, licence: str = "") -> Layout:
    """Lay out a record of one or more games, each of which is played again to its last line.

    Raises:
        ValueError: it is no valid record; the message names the line.
        OSError: it cannot be read.
    """
    place, games = Path(path), verified(path)
    head = _licence(licence) | {
        "pretty_name": place.stem,
        "task_categories": ["reinforcement-learning"],
        "tags": _tags(*sorted({one.game.id for one in games})),
    }
    card = recording.card_of_records(place.name, games, licence)
    files = _placed([place], f"{recording.FOLDER}/")
    return Layout("dataset", {"README.md": _page(head, card), **files})


def _licence(licence: str) -> dict[str, Any]:
    return {"license": licence.lower()} if licence else {}


def of_recording(path: str | Path, licence: str = recording.LICENCE) -> Layout:
    """Lay out a recording that is a Parquet file or a folder of these: card, Croissant and files.

    Args:
        path: the file or folder.
        licence: the licence of the data, as an SPDX identifier.

    Raises:
        ValueError: it is no such recording.
        ModuleNotFoundError: pyarrow is missing (extra ``mhing[data]``).
        OSError: there is no such file.
    """
    recorded = Parquet(path)
    head = {
        "license": licence.lower(),
        "pretty_name": recording.title(recorded),
        "task_categories": ["reinforcement-learning"],
        "tags": _tags(recorded.game.id),
        "configs": [{"config_name": "default", "data_files": f"{recording.FOLDER}/*.parquet"}],
    }
    files: dict[str, bytes | Path] = {
        "README.md": _page(head, recording.card(recorded, licence)),
        "croissant.json": _json(recording.croissant(recorded, licence)),
    }
    files |= _placed([*recorded.files], f"{recording.FOLDER}/")
    return Layout("dataset", files)


def _tags(*games: str) -> list[str]:
    return [*dict.fromkeys([*TAGS, *games])]


def _page(head: Mapping[str, Any], card: str) -> bytes:
    """A card below its front matter, which is YAML whose values are written as JSON."""
    lines = [f"{key}: {json.dumps(value)}" for key, value in head.items()]
    return "\n".join(["---", *lines, "---", "", card]).encode()


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2) + "\n").encode()


def _client() -> Any:
    try:
        from huggingface_hub import HfApi  # noqa: PLC0415  an extra
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"huggingface_hub is missing: {install('hub')}") from error
    return HfApi()
