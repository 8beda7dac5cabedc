"""Debian's packages for another machine or of another release, unpacked but not installed.

And source archives of its packages.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path
from urllib.parse import urljoin

ROOT = Path(__file__).resolve().parents[2]
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
MERGED = ("bin", "lib", "lib64", "sbin")
"""Folders of the root that are links to those of /usr; an installation would make them."""


class Failure(Exception):
    """A command failed, or what it takes is not there; the text says which."""


def run(*words: object, **environment: str) -> str:
    """Runs a command, and returns its output.

    Raises:
        Failure: it failed, with its last words.
    """
    done = subprocess.run(
        [str(word) for word in words], cwd=ROOT, env=os.environ | environment, input="",
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        raise Failure(f"{shlex.join(map(str, words))}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def mirror() -> str:
    """The address where this machine gets Debian's packages."""
    sites = run("apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages")
    found = (site.rstrip("/") for site in sites.splitlines())
    return next(site for site in found if site.endswith("/debian"))


def fetch_source(folder: Path, sha256: str, *addresses: str) -> Path:
    """Unpacks an archive into `folder`, and returns its own folder there.

    It comes from the first address that has it: in the pool of Debian's mirror, or a whole one.
    """
    archive = folder / Path(addresses[0]).name
    for address in addresses:
        try:
            urllib.request.urlretrieve(urljoin(f"{mirror()}/pool/main/", address), archive)
            break
        except OSError as error:
            print(f"{address}: {error}", file=sys.stderr)
    else:
        raise Failure(f"{archive.name} is at none of its addresses")
    if hashlib.sha256(archive.read_bytes()).hexdigest() != sha256:
        raise Failure(f"{archive}: its SHA-256 is not {sha256}")
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
        return folder / opened.getnames()[0]


def fetch(folder: Path, architecture: str, release: str | None, packages: tuple[str, ...]) -> None:
    """Unpacks packages and what they need to `folder`/debian.

    apt works them out as for a machine where nothing is installed. `release` None: this machine's.
    """
    apt = folder / "apt"
    for name in ("lists/partial", "archives/partial", "parts"):
        (apt / name).mkdir(parents=True, exist_ok=True)
    (apt / "status").touch()
    options = [
        f"APT::Architecture={architecture}", f"APT::Architectures::={architecture}",
        "APT::Install-Recommends=false", "APT::Sandbox::User=root", "Debug::NoLocking=1",
        f"Dir::State::status={apt}/status", f"Dir::State::lists={apt}/lists", f"Dir::Cache={apt}",
        f"Dir::Cache::archives={apt}/archives",
    ]  # fmt: skip
    if release is not None:
        (apt / "parts/release.sources").write_text(
            f"Types: deb\nURIs: {mirror()}\nSuites: {release}\n"
            f"Components: main\nSigned-By: {KEYS}\n"
        )
        options += ["Dir::Etc::sourcelist=/dev/null", f"Dir::Etc::sourceparts={apt}/parts"]
    command = ["apt-get", *(word for option in options for word in ("-o", option))]
    run(*command, "update")
    run(*command, "--yes", "--download-only", "install", *packages)
    fresh = folder / "unpacked"
    shutil.rmtree(fresh, ignore_errors=True)
    for package in sorted((apt / "archives").glob("*.deb")):
        run("dpkg-deb", "--extract", package, fresh)
    for path in [path for path in fresh.rglob("*") if path.is_symlink()]:
        target = os.readlink(path)
        if target.startswith("/"):  # from the root of that machine
            path.unlink()
            path.symlink_to(os.path.relpath(f"{fresh}{target}", path.parent))
    for name in MERGED:
        if (fresh / "usr" / name).is_dir() and not (fresh / name).exists():
            (fresh / name).symlink_to(f"usr/{name}")
    shutil.rmtree(apt)
    fresh.rename(folder / "debian")
