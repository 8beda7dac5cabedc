/* The colours of tables and cards: the only table of them. What reads art, what writes SVG and the style sheets of
 * pages take them from here. People with any kind of sight tell apart suits in safe colours. */
#ifndef MH_PALETTE_H
#define MH_PALETTE_H

#include "mh.h"

static const struct mh_palette_color mh_palette[] = {
    {"felt", 0x143f33, 0xd5e5da, 0x0c1210, 0x143f33, 0},
    {"panel", 0x1e5a48, 0xeef5f0, 0x1b2723, 0x1e5a48, 0},
    {"tray", 0x1a4e3e, 0xdfebe3, 0x141d1a, 0x1a4e3e, 0},
    {"bar", 0x0f3128, 0xc6dacd, 0x090e0c, 0x0f3128, 0},
    {"text", 0xf2f5ee, 0x14221b, 0xe8ede9, 0xf2f5ee, 0},
    {"pale", 0xb5cdc2, 0x3b5548, 0xa3b8ae, 0xb5cdc2, 0},   /* of what matters less */
    {"accent", 0xffc83d, 0x6b3f00, 0xffc83d, 0xffc83d, 0}, /* of what matters most */
    {"gold", 0xffc83d, 0xc08000, 0xe0ac2b, 0xffc83d, 0},   /* of what is on turn or may be had */
    {"dark", 0x1b1a12, 0x1b1a12, 0x1b1a12, 0x1b1a12, 0},   /* of letters on gold */

    {"paper", 0xfcf8ec, 0xfcf8ec, 0xfcf8ec, 0xfcf8ec, 1},
    {"joker-paper", 0xffeaa6, 0xffeaa6, 0xffeaa6, 0xffeaa6, 1},
    {"edge", 0x8d8468, 0x8d8468, 0x8d8468, 0x8d8468, 1},
    {"wine", 0x7c2438, 0x7c2438, 0x7c2438, 0x7c2438, 1},
    {"rose", 0xd9a5a0, 0xd9a5a0, 0xd9a5a0, 0xd9a5a0, 1},
    {"ink", 0x27303a, 0x27303a, 0x27303a, 0x27303a, 1},
    {"grey", 0x5c6671, 0x5c6671, 0x5c6671, 0x5c6671, 1},
    {"green", 0x166832, 0x166832, 0x166832, 0x006b54, 1},
    {"blue", 0x1d4f9f, 0x1d4f9f, 0x1d4f9f, 0x1f5fe6, 1},
    {"red", 0xb4232a, 0xb4232a, 0xb4232a, 0xb04400, 1},
    {"amber", 0xf5b81c, 0xf5b81c, 0xf5b81c, 0xf5b81c, 1},
    {"purple", 0x4b2a7b, 0x4b2a7b, 0x4b2a7b, 0x4b2a7b, 1},
    {"cerise", 0xb02a6b, 0xb02a6b, 0xb02a6b, 0xb02a6b, 1},
};

enum { MH_NAMED_COLORS = sizeof mh_palette / sizeof *mh_palette };

#endif
