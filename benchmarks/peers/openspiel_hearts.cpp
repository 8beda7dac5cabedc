// Speed of OpenSpiel's hearts without Python: decisions a second of CPU time, printed as one number.
//
//     openspiel_hearts SECONDS [masks]
//
// Four players, random legal play. A decision is counted with all that our own core does for one: the information
// state tensor of the seat to act, its mask of legal actions, the choice, the action. Cards dealt are not counted as
// decisions; their time is part of the figure, and so is starting the next game. `masks` leaves the tensor out, which
// has 20 KB.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "open_spiel/spiel.h"

static double cpu_seconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Plays a game to its end and returns its decisions.
static long play(const open_spiel::Game &game, std::mt19937_64 &random, std::vector<float> *tensor)
{
    long decisions = 0;
    const std::unique_ptr<open_spiel::State> state = game.NewInitialState();
    while (!state->IsTerminal()) {
        const std::vector<open_spiel::Action> legal = state->LegalActions();
        if (!state->IsChanceNode()) {
            if (tensor != nullptr) {
                state->InformationStateTensor(state->CurrentPlayer(), absl::MakeSpan(*tensor));
            }
            const std::vector<int> mask = state->LegalActionsMask();
            decisions += mask.size() > 0;
        }
        state->ApplyAction(legal[random() % legal.size()]); // chance is uniform in hearts
    }
    return decisions;
}

int main(int argc, char **argv)
{
    const bool masks_alone = argc == 3 && std::strcmp(argv[2], "masks") == 0;
    const double seconds = argc == 2 || masks_alone ? std::atof(argv[1]) : 0;
    if (seconds <= 0) {
        std::fprintf(stderr, "usage: openspiel_hearts SECONDS [masks]\n");
        return 2;
    }
    const std::shared_ptr<const open_spiel::Game> game = open_spiel::LoadGame("hearts");
    std::vector<float> written(game->InformationStateTensorSize());
    std::vector<float> *const tensor = masks_alone ? nullptr : &written;
    std::mt19937_64 random(1);
    for (int i = 0; i < 100; i++) {
        play(*game, random, tensor); // warms the caches
    }
    const double begin = cpu_seconds();
    double spent = 0;
    long decisions = 0;
    while (spent < seconds) {
        for (int i = 0; i < 10; i++) {
            decisions += play(*game, random, tensor);
        }
        spent = cpu_seconds() - begin;
    }
    std::printf("%.0f\n", static_cast<double>(decisions) / spent);
    return 0;
}
