#include "font.h"

#include <stdint.h>
#include <string.h>

/* ---- Characters ------------------------------------------------------------------------------------------- */

/* How far the printable ASCII characters move the pen, in 160ths of an em. */
static const uint8_t advances[] = {50,  44,  64,  114, 104, 114, 114, 34,  64,  64,  94,  94,  44,  74,  34,  94,
                                   94,  94,  94,  94,  94,  94,  94,  94,  94,  94,  34,  44,  94,  94,  94,  94,
                                   134, 114, 114, 114, 114, 104, 104, 114, 114, 34,  84,  114, 104, 114, 114, 114,
                                   114, 124, 114, 104, 114, 114, 114, 134, 114, 114, 114, 64,  94,  64,  94,  104,
                                   54,  94,  94,  94,  94,  94,  84,  94,  94,  34,  54,  94,  34,  134, 94,  94,
                                   94,  94,  74,  84,  84,  94,  94,  114, 94,  94,  94,  74,  34,  74,  94};

enum { UNITS = 160, SPACE = ' ', LAST = '~', UNKNOWN = '?' - ' ' };

_Static_assert(sizeof advances == LAST - SPACE + 1, "every printable ASCII character has an advance");

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

/* Whether a byte goes on with a character of UTF-8. */
static int goes_on(char byte)
{
    return ((uint8_t)byte & 0xC0) == 0x80;
}

/* The character at `text`, and where the next one begins. */
static uint32_t read_character(const char *text, const char **next)
{
    const uint8_t lead = (uint8_t)*text++;
    uint32_t code = lead < 0x80 ? lead : lead < 0xE0 ? lead & 0x1F : lead < 0xF0 ? lead & 0x0F : lead & 0x07;
    while (goes_on(*text)) {
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

/* In ems. */
static double advance_of(uint32_t code)
{
    if (is_wide(code)) {
        return 1;
    }
    const int is_known = code >= SPACE && code <= LAST;
    return (double)advances[is_known ? code - SPACE : UNKNOWN] / UNITS;
}

/* ---- Texts ------------------------------------------------------------------------------------------------ */

/* The width of some bytes, in ems, behind a width that is there already. */
static double add_width(double width, const char *text, const char *end)
{
    while (text < end && *text) {
        const uint32_t code = read_character(text, &text);
        width += advance_of(code);
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
        read_character(end, &next);
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
