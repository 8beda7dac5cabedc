<?php // A bot for tables in PHP. What it does, and how to run it: README.md.

const PATIENCE = 3000; // milliseconds without a message, after which the connection counts as lost

function choose(string $observation, string $mask): int
{
    $legal = array_keys(str_split($mask), "\1", true);
    return $legal[array_sum(unpack('C*', $observation)) % count($legal)];
}

if ($argc !== 5) {
    fwrite(STDERR, "usage: bot ENDPOINT TABLE GAME SEED\n");
    exit(2);
}
[, $endpoint, $table, $game, $seed] = $argv;
$terms = [
    'table' => $table, 'game' => $game, 'seed' => (int) $seed, 'games' => 3,
    'options' => 'num_players=2', 'bots' => ['greedy'],
];

$context = new ZMQContext();
$token = null;
$attempt = 0;
$request = ['sit', 1, $terms];
function connect(): ZMQSocket
{
    global $context, $endpoint, $token, $attempt;
    $server = new ZMQSocket($context, ZMQ::SOCKET_DEALER);
    $server->setSockOpt(ZMQ::SOCKOPT_LINGER, 0);
    $server->setSockOpt(ZMQ::SOCKOPT_RCVTIMEO, PATIENCE);
    $server->connect($endpoint);
    say($server, 'hello', 0, ['client' => 'PHP', 'token' => $token, 'attempt' => ++$attempt]);
    return $server;
}

function say(ZMQSocket $server, ...$message): void
{
    $server->send(msgpack_pack($message));
}

$server = connect();
while (true) {
    $frame = $server->recv();
    if ($frame === false) {
        unset($server); // closes it
        $server = connect();
        continue;
    }
    $message = msgpack_unpack($frame);
    [$name, $number] = $message;
    if ($name === 'ok' && $number === 0) {
        $token = $message[2]['token'];
        say($server, ...$request);
    } elseif ($name === 'ok' && $number === 2) {
        break;
    } elseif ($name === 'turn') {
        [, , , $observation, $mask] = $message;
        say($server, 'act', $number, choose($observation, $mask));
    } elseif ($name === 'end' && ($message[2]['over'] ?? false) && $request[0] !== 'bye') {
        foreach ($message[2]['totals'] as $player) {
            printf("%s: %d wins, returns %.1f\n", $player['name'], $player['wins'], $player['returns']);
        }
        $request = ['bye', 2];
        say($server, ...$request);
    } elseif ($name === 'error' && $message[2] === 'session' && $request[0] === 'bye') {
        break; // its reply was lost
    } elseif ($name === 'error' && !in_array($message[2], ['hello', 'storage', 'turn', 'late'])) {
        fwrite(STDERR, "$message[3]\n");
        exit(1);
    }
}
