"""Adds pages to the site: files of the repository, the games and the command line.

Every page written by hand has a place in the repository, and its links fit that place, so that they
work on a code host too. Here they become links of the site. A link to a source file leads to a page
with its text.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

import commands_page
import game_pages
import repository_pages
from table_pictures import pictures


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Puts all registered games into the navigation, and lets mike's versions find each other."""
    if os.environ.get("MIKE_DOCS_VERSION"):
        config.extra["version"] = {"provider": "mike"}
    games: list[Any] = ["games/index.md"]
    for game in game_pages.games():
        pages = [f"games/{game}{part}.md" for part in ("", "-guide", "-rules")]
        games.append({game_pages.title(game): pages})
    assert config.nav is not None
    config.nav = [{"Games": games} if item == {"Games": "games"} else item for item in config.nav]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that nobody wrote by hand, and translates the links of all others."""

    def add(uri: str, content: str) -> None:
        files.append(File.generated(config, uri, content=content))

    add("reference/command-line.md", commands_page.page())
    add("games/index.md", game_pages.overview())
    for game in game_pages.games():
        add(f"games/{game}.md", game_pages.page(game))
        add(f"games/{game}-guide.md", game_pages.guide(game))
        for name, svg in pictures(game).items():
            add(f"games/{name}", svg)

    site = repository_pages.Site(Path(config.docs_dir))
    for file in [*files.documentation_pages()]:
        if file.generated_by is None:
            file.content_string = site.page(file.src_uri)
    for uri in site.repository_pages:
        add(uri, site.page(uri))
    for uri, content in site.sources().items():
        add(uri, content)
    for uri, path in site.attached.items():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files
