// A bot for tables in C++. What it does, and how to compile it: README.md.
#include <cstdio>
#include <cstdlib>
#include <msgpack.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>
#include <zmq.hpp>

constexpr int patience = 3000; // milliseconds without a message, after which the connection counts as lost

using Bytes = std::vector<unsigned char>;

struct Terms {
    std::string table, game;
    std::uint64_t seed;
    int games = 3;
    std::string options = "num_players=2";
    std::vector<std::string> bots = {"greedy"};
    MSGPACK_DEFINE_MAP(table, game, seed, games, options, bots)
};

struct Hello {
    std::string client = "C++";
    std::optional<std::string> token;
    int attempt = 0;
    MSGPACK_DEFINE_MAP(client, token, attempt)
};

struct Welcome {
    std::string token;
    MSGPACK_DEFINE_MAP(token)
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

static zmq::socket_t connect(zmq::context_t &context, const char *endpoint)
{
    zmq::socket_t server(context, zmq::socket_type::dealer);
    server.set(zmq::sockopt::linger, 0);
    server.set(zmq::sockopt::rcvtimeo, patience);
    server.connect(endpoint);
    return server;
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
    zmq::socket_t server;
    Hello hello;
    bool is_over = false;
    while (true) {
        zmq::message_t frame;
        if (!server || !server.recv(frame)) {
            server = connect(context, argv[1]);
            hello.attempt++;
            say(server, "hello", 0, hello);
            continue;
        }
        const auto handle = msgpack::unpack(frame.data<char>(), frame.size());
        const auto message = handle->as<std::vector<msgpack::object>>();
        const auto name = message[0].as<std::string>();
        const auto number = message[1].as<std::uint64_t>();
        const auto code = name == "error" ? message[2].as<std::string>() : "";
        if (name == "ok" && number == 0) {
            hello.token = message[2].as<Welcome>().token;
            is_over ? say(server, "bye", 2) : say(server, "sit", 1, terms);
        } else if ((name == "ok" && number == 2) || (is_over && code == "session")) {
            return 0;
        } else if (name == "turn") {
            say(server, "act", number, choose(message[3].as<Bytes>(), message[4].as<Bytes>()));
        } else if (name == "end" && !is_over && message[2].as<End>().over) {
            for (const Player &player : message[2].as<End>().totals) {
                std::printf("%s: %d wins, returns %.1f\n", player.name.c_str(), player.wins, player.returns);
            }
            is_over = true;
            say(server, "bye", 2);
        } else if (name == "error" && code != "hello" && code != "storage" && code != "turn" && code != "late") {
            std::fprintf(stderr, "%s\n", message[3].as<std::string>().c_str());
            return 1;
        }
    }
}
