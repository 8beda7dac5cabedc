"""A film as an animated GIF, for pages and chats that show nothing else."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from mhing._support.extras import install
from mhing.web.film import Film

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

WIDTH = 720  # pixels: half as many as the page has, and as easy to read
SPEED = 2.5  # frames a second
FASTEST = 50

_COLORS = 64
_MOST = 1000  # frames: each is a picture in memory
_LINGER = 3000  # milliseconds of the last frame


def gif(film: Film, *, width: int = WIDTH, speed: float = SPEED, look: str = "felt") -> bytes:
    """Return the film as a GIF that begins again after its end.

    All frames have one palette, from the first, the middle and the last one. Pictures of tables
    have few colours: so areas stay plain, and frames differ where something has happened only.

    Args:
        film: what is to be seen.
        width: of the picture in pixels; its height follows.
        speed: frames a second, at most `FASTEST`. GIFs count in hundredths of a second. The last
            frame stays for three seconds.
        look: what it is painted in, one of ``mhing.render.LOOKS``.

    Raises:
        ValueError: `width` or `speed` is out of range, there is no such look, or the film has more
            than 1,000 frames.
        ModuleNotFoundError: Pillow is missing (extra ``mhing[play]``).
    """
    if width < 1:
        raise ValueError(f"width: {width} is not a number of pixels, 1 or more")
    if not 0.1 <= speed <= FASTEST:
        raise ValueError(f"speed: {speed} is not a number of frames a second, 0.1 to {FASTEST}")
    if len(film.frames) > _MOST:
        many = f"{len(film.frames):,} frames"
        raise ValueError(f"film: {many} are too many for a moving picture, {_MOST:,} at most")
    try:
        from PIL import Image  # noqa: PLC0415  an extra
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"Pillow is missing: {install('play')}") from error

    def paint(place: int) -> Picture:
        scene = film.frames[place].scene
        return Image.fromarray(scene.to_rgb(width / scene.w, look))

    last = len(film.frames) - 1
    samples = np.concatenate([np.asarray(paint(place)) for place in sorted({0, last // 2, last})])
    palette = Image.fromarray(samples).quantize(_COLORS, Image.Quantize.FASTOCTREE)
    frames = [
        paint(place).quantize(palette=palette, dither=Image.Dither.NONE)
        for place in range(last + 1)
    ]
    return _written(frames, [round(100 / speed) * 10] * last + [_LINGER])


def _written(frames: list[Picture], durations: list[int]) -> bytes:
    file = BytesIO()
    frames[0].save(
        file, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0,
        optimize=True,
    )  # fmt: skip
    return file.getvalue()
