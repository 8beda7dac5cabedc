// Speed of OpenSpiel's hearts without Python: decisions a second of CPU time, printed as one number.
//
//     openspiel_hearts SECONDS
//
// Four players, random legal play. A decision is counted with all that our own core does for one: the information
// state tensor of the seat to act, its mask of legal actions, the choice, the action. Cards dealt are not counted as
// decisions; their time is part of the figure, and so is starting the next game.
#include <cstdio>
#include <cstdlib>
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
static long play(const open_spiel::Game &game, std::mt19937_64 &random, std::vector<float> &tensor)
{
    long decisions = 0;
    const std::unique_ptr<open_spiel::State> state = game.NewInitialState();
    while (!state->IsTerminal()) {
        const std::vector<open_spiel::Action> legal = state->LegalActions();
        if (!state->IsChanceNode()) {
            state->InformationStateTensor(state->CurrentPlayer(), absl::MakeSpan(tensor));
            const std::vector<int> mask = state->LegalActionsMask();
            decisions += mask.size() > 0;
        }
        state->ApplyAction(legal[random() % legal.size()]); // chance is uniform in hearts
    }
    return decisions;
}

int main(int argc, char **argv)
{
    const double seconds = argc == 2 ? std::atof(argv[1]) : 0;
    if (seconds <= 0) {
        std::fprintf(stderr, "usage: openspiel_hearts SECONDS\n");
        return 2;
    }
    const std::shared_ptr<const open_spiel::Game> game = open_spiel::LoadGame("hearts");
    std::vector<float> tensor(game->InformationStateTensorSize());
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
