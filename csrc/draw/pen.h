/* Shapes painted upon pixels, edges smoothed by how much of each pixel they cover. */
#ifndef MH_PEN_H
#define MH_PEN_H

#include <stdint.h>

/* Pixels of a picture, or of a part of it. */
struct mh_canvas {
    uint8_t *pixels;              /* of the place (left, top); the caller's */
    int stride;                   /* bytes from a row to the next */
    int channels;                 /* 3: red, green and blue; 4: and the opacity, by which they are multiplied */
    int left, top, right, bottom; /* where may be painted: pixels of the picture */
};

/* A colour, opaque as the fourth channel has it, laid on with an opacity of 0 to 255. */
struct mh_ink {
    uint8_t color[4];
    int opacity;
};

struct mh_ink mh_pen_ink(uint32_t rgb, double opacity);

/* The part of a canvas between these edges: perhaps nothing. */
struct mh_canvas mh_pen_part(const struct mh_canvas *canvas, int left, int top, int right, int bottom);

/* The same of the whole pixels that an area touches. */
struct mh_canvas mh_pen_around(const struct mh_canvas *canvas, double left, double top, double right,
                               double bottom);

/* The same canvas, whose places are counted from the pixel that a place is in: what is painted looks the same in
 * all of them, to the last bit. `x` and `y` become the place within that pixel. */
struct mh_canvas mh_pen_from(const struct mh_canvas *canvas, double *x, double *y);

/* Lays a part of a picture of 4 channels over one of 3 or 4 that has the same place. */
void mh_pen_lay(const struct mh_canvas *canvas, const struct mh_canvas *layer, double opacity);

/* Paints all of a canvas. */
void mh_pen_cover(const struct mh_canvas *canvas, const struct mh_ink *ink);

/* A rectangle with round corners, or a circle. The outline is centred on its edge. */
struct mh_frame {
    float x, y, w, h, radius;
    const struct mh_ink *fill, *stroke; /* NULL: none */
    float width;                        /* of the outline */
};

void mh_pen_frame(const struct mh_canvas *canvas, const struct mh_frame *frame);

struct mh_point {
    float x, y;
};

/* The area between corners, inside where a line from there to far away crosses an odd number of sides. */
void mh_pen_polygon(const struct mh_canvas *canvas, const struct mh_point *corners, int count,
                    const struct mh_ink *ink);

/* Straight lines drawn with a round pen, of two ends each; a dot where both are one place. They are drawn at once:
 * where they meet or cross nothing is painted twice. */
void mh_pen_strokes(const struct mh_canvas *canvas, const struct mh_point *ends, int count, float width,
                    const struct mh_ink *ink);

#endif
