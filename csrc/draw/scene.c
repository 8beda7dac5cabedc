#include "scene.h"

#include "font.h"

static void add_shape(struct mh_scene *self, const struct mh_shape *shape)
{
    if (self->count == MH_MAX_SHAPES) {
        self->is_full = 1;
        return;
    }
    self->shapes[self->count++] = *shape;
}

/* Keeps a text, if there is room for it; returns how many bytes were kept. */
static int keep_text(struct mh_scene *self, const char *text)
{
    const size_t length = strlen(text);
    if (length > (size_t)(MH_MAX_TEXTS - self->used)) {
        self->is_full = 1;
        return 0;
    }
    memcpy(self->texts + self->used, text, length);
    self->used += (int)length;
    return (int)length;
}

void mh_scene_begin(struct mh_scene *self, int form)
{
    self->form = form;
    self->w = 0;
    self->h = 0;
    self->background = MH_NO_COLOR;
    self->title = 0;
    self->title_length = 0;
    self->count = 0;
    self->used = 0;
    self->is_full = 0;
    self->unused = 0;
}

void mh_scene_title(struct mh_scene *self, const char *text)
{
    self->title = self->used;
    self->title_length = keep_text(self, text);
}

void mh_scene_rect(struct mh_scene *self, struct mh_box box, int fill, double radius)
{
    mh_scene_outline(self, box, fill, radius, MH_NO_COLOR, 0);
}

void mh_scene_outline(struct mh_scene *self, struct mh_box box, int fill, double radius, int stroke, double width)
{
    const struct mh_shape shape = {.kind = MH_RECT,
                                   .fill = (uint8_t)fill,
                                   .stroke = (uint8_t)stroke,
                                   .seat = -1,
                                   .sprite = -1,
                                   .card = -1,
                                   .action = -1,
                                   .x = box.x,
                                   .y = box.y,
                                   .w = box.w,
                                   .h = box.h,
                                   .radius = radius,
                                   .width = stroke ? width : 0,
                                   .scale = 1,
                                   .opacity = 1};
    add_shape(self, &shape);
}

void mh_scene_text(struct mh_scene *self, double x, double y, struct mh_type type, const char *text)
{
    const double scale = type.scale != 0 ? type.scale : 1;
    const int at = self->used;
    const int length = keep_text(self, text);
    if (length == 0) {
        return;
    }
    const struct mh_shape shape = {.kind = MH_TEXT,
                                   .fill = (uint8_t)type.color,
                                   .anchor = (uint8_t)type.anchor,
                                   .is_bold = (uint8_t)type.is_bold,
                                   .seat = -1,
                                   .sprite = -1,
                                   .card = -1,
                                   .action = -1,
                                   .length = length,
                                   .text = at,
                                   .x = x,
                                   .y = y,
                                   .w = mh_font_width(text, type.size) * scale,
                                   .h = type.size,
                                   .scale = scale,
                                   .opacity = 1};
    add_shape(self, &shape);
}

static struct mh_shape shape_of(struct mh_card card, double x, double y, double scale, int zone, int seat)
{
    return (struct mh_shape){.kind = MH_SPRITE,
                             .zone = (uint8_t)zone,
                             .seat = (int16_t)seat,
                             .sprite = card.sprite,
                             .card = card.card,
                             .action = card.action,
                             .x = x,
                             .y = y,
                             .w = MH_CARD_W * scale,
                             .h = MH_CARD_H * scale,
                             .scale = scale,
                             .opacity = 1};
}

void mh_scene_card(struct mh_scene *self, struct mh_card card, double x, double y, double scale, int zone, int seat)
{
    const struct mh_shape shape = shape_of(card, x, y, scale, zone, seat);
    add_shape(self, &shape);
}

void mh_scene_faded_card(struct mh_scene *self, struct mh_card card, double x, double y, double scale, int zone,
                         int seat)
{
    static const double faded = 0.55;
    struct mh_shape shape = shape_of(card, x, y, scale, zone, seat);
    shape.opacity = faded;
    add_shape(self, &shape);
}

void mh_scene_mark(struct mh_scene *self, int sprite, double x, double y, double scale)
{
    const struct mh_card mark = {(int16_t)sprite, -1, -1};
    struct mh_shape shape = shape_of(mark, x, y, scale, MH_NOWHERE, -1);
    shape.w = MH_MARK * scale;
    shape.h = MH_MARK * scale;
    add_shape(self, &shape);
}
