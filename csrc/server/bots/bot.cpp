// A bot for tables in C++. What it does, and how to compile it: README.md.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <msgpack.hpp>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>
#include <zmq.hpp>

using Bytes = std::vector<unsigned char>;

struct Terms {
    std::string table, game;
    std::uint64_t seed;
    int games = 3;
    std::string options = "num_players=2";
    std::vector<std::string> bots = {"greedy"};
    MSGPACK_DEFINE_MAP(table, game, seed, games, options, bots)
};

struct Player {
    std::string name;
    int wins;
    double returns;
    MSGPACK_DEFINE_MAP(name, wins, returns)
};

struct End {
    bool over = false;
    std::vector<Player> totals;
    MSGPACK_DEFINE_MAP(over, totals)
};

static int choose(const Bytes &observation, const Bytes &mask)
{
    std::vector<int> legal;
    for (std::size_t action = 0; action < mask.size(); action++) {
        if (mask[action]) {
            legal.push_back(static_cast<int>(action));
        }
    }
    return legal[std::accumulate(observation.begin(), observation.end(), 0u) % legal.size()];
}

template <class... Parts> static void say(zmq::socket_t &server, const Parts &...parts)
{
    msgpack::sbuffer bytes;
    msgpack::pack(bytes, std::tie(parts...));
    server.send(zmq::buffer(bytes.data(), bytes.size()));
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        std::fputs("usage: bot ENDPOINT TABLE GAME SEED\n", stderr);
        return 2;
    }
    const Terms terms{argv[2], argv[3], std::strtoull(argv[4], nullptr, 10)};
    zmq::context_t context;
    zmq::socket_t server(context, zmq::socket_type::dealer);
    server.connect(argv[1]);
    say(server, "hello", 0, std::map<std::string, std::string>{{"client", "C++"}});
    while (true) {
        zmq::message_t frame;
        (void)server.recv(frame);
        const auto handle = msgpack::unpack(frame.data<char>(), frame.size());
        const auto message = handle->as<std::vector<msgpack::object>>();
        const auto name = message[0].as<std::string>();
        const auto number = message[1].as<std::uint64_t>();
        if (name == "ok" && number == 0) {
            say(server, "sit", 1, terms);
        } else if (name == "ok" && number == 2) {
            return 0;
        } else if (name == "turn") {
            say(server, "act", number, choose(message[3].as<Bytes>(), message[4].as<Bytes>()));
        } else if (name == "end" && message[2].as<End>().over) {
            for (const Player &player : message[2].as<End>().totals) {
                std::printf("%s: %d wins, returns %.1f\n", player.name.c_str(), player.wins, player.returns);
            }
            say(server, "bye", 2);
        } else if (name == "error" && message[2].as<std::string>() != "late") {
            std::fprintf(stderr, "%s\n", message[3].as<std::string>().c_str());
            return 1;
        }
    }
}
