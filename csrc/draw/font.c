#include "font.h"

#include <stdint.h>
#include <string.h>

/* ---- Characters ------------------------------------------------------------------------------------------- */

/* The printable ASCII characters: how far each moves the pen, in 160ths of an em, and the strokes that mh_font_strokes
 * describes. Behind what its strokes reach comes a gap of 3.4 steps; digits have one width, to stand in columns. */
static const struct {
    uint8_t advance;
    const char *strokes;
} glyphs[] = {
    {50, ""},
    {44, "1018 1c"},
    {64, "0003 3033"},
    {114, "301c 705c 0484 0888"},
    {104, "~72700006767c0c0a 404e"},
    {114, "800c @00303404 @585c8c88"},
    {114, "~8c1410505307 ~070c6c87"},
    {34, "0003"},
    {64, "~30030d3g"},
    {64, "~00333d0g"},
    {94, "3137 0266 0662"},
    {94, "353b 0868"},
    {44, "1b0e"},
    {74, "0848"},
    {34, "0c"},
    {94, "600c"},
    {94, "@00606c0c"},
    {94, "12303c 0c6c"},
    {94, "~030060660c 0c6c"},
    {94, "~0200606626 ~26666c0c0a"},
    {94, "4c400868"},
    {94, "600006 ~0604646c0c0a"},
    {94, "~600009 @05656c0c"},
    {94, "00602c"},
    {94, "@00606606 @06666c0c"},
    {94, "@00606707 ~636c0c"},
    {34, "06 0c"},
    {44, "16 1b0e"},
    {94, "64086c"},
    {94, "0666 0a6a"},
    {94, "04680c"},
    {94, "~020060653538 3c"},
    {134, "@35757939 ~757aa9a0000c8c"},
    {114, "0c408c 2868"},
    {114, "000c ~00707606 ~06868c0c"},
    {114, "~8280000c8c8a"},
    {114, "000c ~00808c0c"},
    {104, "70000c7c 0656"},
    {104, "70000c 0656"},
    {114, "~8280000c8c87 5787"},
    {114, "000c 808c 0686"},
    {34, "000c"},
    {84, "~505c0c09"},
    {114, "000c 7007 348c"},
    {104, "000c7c"},
    {114, "0c0048808c"},
    {114, "0c008c80"},
    {114, "@00808c0c"},
    {114, "000c ~00808707"},
    {124, "@00808c0c 599d"},
    {114, "000c ~00808707 478c"},
    {104, "~72700006767c0c0a"},
    {114, "0080 404c"},
    {114, "~000c8c80"},
    {114, "004c80"},
    {134, "002c528ca0"},
    {114, "008c 800c"},
    {114, "004680 464c"},
    {114, "00800c8c"},
    {64, "30000g3g"},
    {94, "006c"},
    {64, "00303g0g"},
    {94, "043064"},
    {104, "0e7e"},
    {54, "0022"},
    {94, "@04646c0c 646c"},
    {94, "000c @04646c0c"},
    {94, "~6664040c6c6a"},
    {94, "606c @04646c0c"},
    {94, "0868 ~6864040c6c6a"},
    {84, "~5020242c 0454"},
    {94, "@04646c0c ~646g0g0e"},
    {94, "000c ~0804646c"},
    {34, "040c 00"},
    {54, "~242g0g 20"},
    {94, "000c 6409 376c"},
    {34, "000c"},
    {134, "040c ~0704545c ~5754a4ac"},
    {94, "040c ~0804646c"},
    {94, "@04646c0c"},
    {94, "040g @04646c0c"},
    {94, "646g @04646c0c"},
    {74, "040c ~080444"},
    {84, "~56540408585c0c0a"},
    {84, "~202c5c 0454"},
    {94, "~040c6c68 646c"},
    {94, "043c64"},
    {114, "042c466c84"},
    {94, "046c 640c"},
    {94, "043c 641g"},
    {94, "04640c6c"},
    {74, "~40202707 ~07272g4g"},
    {34, "000g"},
    {74, "~00202747 ~47272g0g"},
    {94, "~0a06393a6a66"},
};

enum { UNITS = 160, SPACE = ' ', LAST = '~' };

_Static_assert(sizeof glyphs / sizeof *glyphs == LAST - SPACE + 1, "every printable ASCII character has a glyph");

/* Characters as wide as an em: those that Unicode calls wide, and what lies between them unassigned. */
static const struct {
    uint32_t first, last;
} wide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267F, 0x267F},
    {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26CE, 0x26CE},   {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},
    {0x2E80, 0x303E},   {0x3041, 0x3247},   {0x3250, 0x4DBF},   {0x4E00, 0xA4C6},   {0xA960, 0xA97C},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAD9},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6B},   {0xFF01, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x1B2FB}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E},
    {0x1F191, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393},
    {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E},
    {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567},
    {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5},
    {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC},
    {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAF6},
    {0x20000, 0x3134A},
};

enum { NUM_WIDE = sizeof wide / sizeof *wide };

/* True if a byte continues a UTF-8 character. */
static int goes_on(char byte)
{
    return ((uint8_t)byte & 0xC0) == 0x80;
}

uint32_t mh_font_read(const char *text, const char *end, const char **next)
{
    const uint8_t lead = (uint8_t)*text++;
    uint32_t code = lead < 0x80 ? lead : lead < 0xE0 ? lead & 0x1F : lead < 0xF0 ? lead & 0x0F : lead & 0x07;
    while (text < end && goes_on(*text)) {
        code = code << 6 | ((uint8_t)*text++ & 0x3F);
    }
    *next = text;
    return code;
}

static int is_wide(uint32_t code)
{
    for (int i = 0; i < NUM_WIDE && code >= wide[i].first; i++) {
        if (code <= wide[i].last) {
            return 1;
        }
    }
    return 0;
}

/* The place of a character in the table; that of "?" where it has none. */
static int place_of(uint32_t code)
{
    return (int)(code >= SPACE && code <= LAST ? code : '?') - SPACE;
}

double mh_font_advance(uint32_t code)
{
    return is_wide(code) ? 1 : (double)glyphs[place_of(code)].advance / UNITS;
}

const char *mh_font_strokes(uint32_t code)
{
    return glyphs[place_of(code)].strokes;
}

/* ---- Texts ------------------------------------------------------------------------------------------------ */

/* Returns `width` plus the width of the bytes from `text` to `end`, in ems. */
static double add_width(double width, const char *text, const char *end)
{
    while (text < end && *text) {
        const uint32_t code = mh_font_read(text, end, &text);
        width += mh_font_advance(code);
    }
    return width;
}

double mh_font_width(const char *text, double size)
{
    return size * add_width(0, text, text + strlen(text));
}

double mh_font_squeezed(const char *text, double size, double width)
{
    const double whole = mh_font_width(text, size);
    return whole > width ? width / whole : 1;
}

/* The bytes of a text that fit into a width: all of them, or so many that two dots fit behind them. */
static size_t fitting(const char *text, size_t length, double size, double width)
{
    if (length < MH_LINE_SIZE && size * add_width(0, text, text + length) <= width) {
        return length;
    }
    static const char dots[] = "..";
    const char *end = text;
    size_t kept = 0;
    double so_far = 0;
    while (end < text + length && (size_t)(end - text) < MH_LINE_SIZE - sizeof dots) {
        if (size * add_width(so_far, dots, dots + 2) <= width) {
            kept = (size_t)(end - text);
        }
        const char *next;
        mh_font_read(end, text + length, &next);
        so_far = add_width(so_far, end, next);
        end = next;
    }
    return kept;
}

/* Writes bytes of a text, and dots if they are not all; returns how many were written. */
static size_t write_fitting(const char *text, size_t length, double size, double width, char *line)
{
    const size_t kept = fitting(text, length, size, width);
    memcpy(line, text, kept);
    if (kept == length) {
        line[kept] = '\0';
        return kept;
    }
    memcpy(line + kept, "..", 3);
    return kept + 2;
}

void mh_font_shorten(const char *text, double size, double width, char *line)
{
    write_fitting(text, strlen(text), size, width, line);
}

const char *mh_font_wrap(const char *text, double size, double width, char *line)
{
    static const char space[] = " ";
    text += strspn(text, space);
    size_t word = strcspn(text, " ");
    size_t used = write_fitting(text, word, size, width, line);
    double so_far = add_width(0, line, line + used);
    for (;;) {
        text += word;
        text += strspn(text, " ");
        word = strcspn(text, " ");
        const double longer = add_width(add_width(so_far, space, space + 1), text, text + word);
        if (word == 0 || used + 1 + word >= MH_LINE_SIZE || size * longer > width) {
            return text;
        }
        line[used] = ' ';
        memcpy(line + used + 1, text, word);
        used += 1 + word;
        line[used] = '\0';
        so_far = longer;
    }
}
