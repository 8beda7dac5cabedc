"""CPython in two builds that Debian does not have: free-threaded, and with musl."""

from __future__ import annotations

import os
from pathlib import Path

from debian import fetch_source, run
from run import BUILDS

VERSION = "3.14.4"
"""The last one that needs Hold (mhing/_lib/hold.py) without slots."""
SOURCES = (
    (
        "d66c56ad259a82cf2a9dfc408b32bf5da52371500b84745f7fb8b645712df676",
        ("libf/libffi/libffi_3.4.4.orig.tar.gz",),
        ("--disable-shared", "--disable-docs", "--disable-exec-static-tramp"),
    ),
    (
        "60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb",
        ("z/zlib/zlib_1.3.dfsg+really1.3.1.orig.tar.gz",),
        ("--static",),
    ),
    (
        "d923c51303e38e249136fc1bdf3568d56ecb03214efdef48516176d3d7faaef8",
        (
            f"p/python3.14/python3.14_{VERSION}.orig.tar.xz",
            f"https://www.python.org/ftp/python/{VERSION}/Python-{VERSION}.tar.xz",
        ),
        ("--disable-test-modules", "--without-ensurepip"),
    ),
)
"""SHA-256, addresses, and settings. Python, the last one, is linked with the others."""
COMPILER = """#!/bin/sh
[ "$*" = --print-multiarch ] && exit 1
exec {} "$@"
"""
"""musl-gcc would say that its programs are Debian's, and Python's configure would stop."""


def build(name: str, compiler: str, *settings: str) -> Path:
    """The program, which is built once; hardly optimised, as it runs for minutes."""
    folder = BUILDS / f"python-{VERSION}-{name}"
    home, built = folder / "python", folder / "built"
    if not built.exists():
        folder.mkdir(parents=True, exist_ok=True)
        script = folder / "compiler"
        script.write_text(COMPILER.format(compiler))
        script.chmod(0o755)
        found = {
            "CC": str(script), "CFLAGS": "-O1 -fPIC", "OPT": "-DNDEBUG",
            "CPPFLAGS": f"-I{home}/include", "LDFLAGS": f"-L{home}/lib -L{home}/lib64",
            "PKG_CONFIG_LIBDIR": "/none",
        }  # fmt: skip
        for sha256, addresses, words in SOURCES:
            source = fetch_source(folder, sha256, *addresses)
            more = settings if VERSION in source.name else ()
            run("env", "-C", source, "./configure", f"--prefix={home}", *words, *more, **found)
            run("make", "-C", source, f"-j{os.cpu_count()}", **found)
            run("make", "-C", source, "install", "COMPILEALL_OPTS=-x .", **found)
        built.touch()
    return home / "bin/python3.14"
