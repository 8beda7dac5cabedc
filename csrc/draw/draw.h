/* Pictures of tables as lists of shapes (C50). Layouts divide boxes by shares; all lists are written in three ways: as
 * SVG, as rows and as pixels.
 *
 * Each file uses only those before it, which tests/layers.py checks. Where there are a .h and a .c, the .c stands for
 * both.
 *
 *   palette.h art.c     colours; sprites from files, see README.md
 *   font.c              letters: their strokes, how wide texts are, and lines of them
 *   scene.c             shapes in a scene
 *   layout.c            the boxes of a table; panels of players; what is written
 *   rows.c              cards in rows, as large as there is room for them
 *   ending.c            how a round ended: the winner's cards, and what they are paid for
 *   share.c             how an episode ended, to be shown to anybody
 *   playing.c           tables with playing cards
 *   draw.h              this page, for games
 *   generic.c           the picture of a game that brings none
 *   picture.c           pictures from outside
 *   paint.c             what all ask who write a scene: whether it can be written, its sprites and cards
 *   svg.c               a scene as an SVG document
 *   scene_rows.c        a scene as rows of JSON
 *   pen.c               shapes upon pixels: frames, polygons, strokes
 *   glyphs.c            letters upon pixels
 *   pixels.c            a scene as pixels
 */
#ifndef MH_DRAW_H
#define MH_DRAW_H

#include "ending.h"
#include "layout.h"
#include "playing.h"
#include "rows.h"
#include "scene.h"
#include "share.h"

#endif
