/* Texts of Mhing hands: what is read is scored, and what is scored can be written and drawn.
 *
 * Input: byte 0 has the flowers, and the house rule in its highest bit; then the hand, up to a line's end; the melds.
 * Or, with 0xFF as byte 0, the rest is a hand as its bytes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mh.h"
#include "mhing_api.h"

enum { TEXT = 256 };

static void draw(const struct mhing_cards *cards, int seven_pairs, int complete)
{
    struct mh_scene *scene = malloc(sizeof *scene);
    require(scene && mhing_draw_hand(cards, seven_pairs, scene) == complete);
    require(complete != 1 || (!scene->is_full && scene->count > 0));
    free(scene);
}

static void score(const struct mhing_cards *cards, int seven_pairs)
{
    struct mhing_score found;
    char text[TEXT];
    const int distance = mhing_distance(cards, seven_pairs);
    const int complete = mhing_score_hand(cards, seven_pairs, &found);
    require(distance >= 0 || distance == MH_ERROR_ARGUMENT);
    require(complete == MH_ERROR_ARGUMENT || complete == (distance == 0));
    if (complete == 1) {
        int sum = 0;
        for (int part = 0; part < MHING_CREDIT_KINDS; part++) {
            sum += found.part[part];
        }
        require(sum == found.credits && mhing_points(found.credits) == found.points);
        require(mhing_score_text(&found, text, sizeof text) < sizeof text);
    }
    draw(cards, seven_pairs, complete);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mhing_cards cards;
    char message[MH_MESSAGE_SIZE] = "";
    char hand[TEXT];
    if (size < 1 || size >= TEXT) {
        return 0;
    }
    if (data[0] == 0xFF) {
        struct mhing_score found;
        int32_t credits = 0;
        int32_t points = 0;
        int8_t distance = 0;
        memset(&cards, 0, sizeof cards);
        memcpy(&cards, data + 1, size - 1 < sizeof cards ? size - 1 : sizeof cards);
        (void)mhing_score_hands(&cards, 1, 1, &credits, &points);
        (void)mhing_distances(&cards, 1, 1, &distance);
        draw(&cards, 1, mhing_score_hand(&cards, 1, &found));
        return 0;
    }
    memcpy(hand, data + 1, size - 1);
    hand[size - 1] = '\0';
    char *end = strchr(hand, '\n');
    if (end) {
        *end = '\0';
    }
    if (mhing_parse_hand(hand, end ? end + 1 : "", data[0] & 15, &cards, message) == MH_OK) {
        score(&cards, data[0] >> 7);
    } else {
        require(*message && !strchr(message, '\n'));
    }
    return 0;
}
