<?php // A bot for tables in PHP. What it does, and how to run it: README.md.

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

$server = new ZMQSocket(new ZMQContext(), ZMQ::SOCKET_DEALER);
$server->connect($endpoint);
$say = fn(...$message) => $server->send(msgpack_pack($message));

$say('hello', 0, ['client' => 'PHP']);
while (true) {
    $message = msgpack_unpack($server->recv());
    [$name, $number] = $message;
    if ($name === 'ok' && $number === 0) {
        $say('sit', 1, $terms);
    } elseif ($name === 'ok' && $number === 2) {
        break;
    } elseif ($name === 'turn') {
        [, , , $observation, $mask] = $message;
        $say('act', $number, choose($observation, $mask));
    } elseif ($name === 'end' && ($message[2]['over'] ?? false)) {
        foreach ($message[2]['totals'] as $player) {
            printf("%s: %d wins, returns %.1f\n", $player['name'], $player['wins'], $player['returns']);
        }
        $say('bye', 2);
    } elseif ($name === 'error' && $message[2] !== 'late') {
        fwrite(STDERR, "$message[3]\n");
        exit(1);
    }
}
