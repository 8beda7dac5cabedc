/* Art, as the build reads it from SVG files, and the palette: for all who paint. */
#include <string.h>

#include "mh.h"
#include "palette.h"

#include "art_tables.h" /* generated, of what is declared above */

enum { SPRITES = sizeof art_sprites / sizeof *art_sprites };

int mh_palette_size(void)
{
    return MH_NAMED_COLORS + ART_COLORS;
}

const struct mh_palette_color *mh_palette_color_at(int color)
{
    if (color < 1 || color > MH_NAMED_COLORS + ART_COLORS) {
        return NULL;
    }
    return color > MH_NAMED_COLORS ? &art_colors[color - MH_NAMED_COLORS - 1] : &mh_palette[color - 1];
}

uint32_t mh_palette_rgb(int color, int look)
{
    const struct mh_palette_color *found = mh_palette_color_at(color);
    if (!found) {
        return 0;
    }
    if (found->is_card) {
        return look & MH_LOOK_SAFE_SUITS ? found->safe : found->felt;
    }
    const int palette = look & ~MH_LOOK_SAFE_SUITS;
    return palette == MH_LOOK_LIGHT ? found->light : palette == MH_LOOK_DARK ? found->dark : found->felt;
}

int mh_sprite_count(void)
{
    return SPRITES;
}

const struct mh_sprite *mh_sprite_at(int index)
{
    return index >= 0 && index < SPRITES ? &art_sprites[index] : NULL;
}

const struct mh_sprite *mh_sprite_named(const char *name)
{
    int first = 0;
    int end = name ? SPRITES : 0;
    while (first < end) {
        const int middle = (first + end) / 2;
        const struct mh_sprite *sprite = &art_sprites[art_by_name[middle]];
        const int order = strcmp(name, sprite->name);
        if (order == 0) {
            return sprite;
        }
        if (order < 0) {
            end = middle;
        } else {
            first = middle + 1;
        }
    }
    return NULL;
}
