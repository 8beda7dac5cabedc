# A bot for tables in Perl. What it does, and how to run it: README.md.
use strict;
use warnings;
use Data::MessagePack;
use List::Util qw(sum);
use ZMQ::FFI;
use ZMQ::FFI::Constants qw(ZMQ_DEALER ZMQ_RCVTIMEO);

use constant PATIENCE => 3000;    # milliseconds without a message: then the connection counts as lost

sub choose {
    my ($observation, $mask) = @_;
    my @legal = grep { ord substr $mask, $_, 1 } 0 .. length($mask) - 1;
    return $legal[sum(unpack "C*", $observation) % @legal];
}

@ARGV == 4 or die "usage: bot ENDPOINT TABLE GAME SEED\n";
my ($endpoint, $table, $game, $seed) = @ARGV;
my %terms = (table => $table, game => $game, seed => 0 + $seed, games => 3,
             options => "num_players=2", bots => ["greedy"]);

my $context = ZMQ::FFI->new;    # kept: without it the socket is closed
my ($server, $token);
my $attempt = 0;
my @request = ("sit", 1, \%terms);
my $text = Data::MessagePack->new->utf8;
my $bin = Data::MessagePack->new;    # without utf8 it packs strings as bin
my $say = sub { $server->send($text->pack([@_])) };
my $connect = sub {
    $server->close if $server;
    $server = $context->socket(ZMQ_DEALER);
    $server->set_linger(0);
    $server->set(ZMQ_RCVTIMEO, "int", PATIENCE);
    $server->connect($endpoint);
    my @map = map { $text->pack($_) } client => "Perl", attempt => ++$attempt;
    push @map, $text->pack("token"), $bin->pack($token) if $token;
    $server->send(join "", "\x93", $text->pack("hello"), "\0", chr(0x80 + @map / 2), @map);
};

$connect->();
while (1) {
    my $frame = eval { $server->recv };
    $frame // do { $connect->(); next };
    my ($name, $number, @rest) = @{$bin->unpack($frame)};
    if ($name eq "ok" && $number == 0) {
        $token = $rest[0]{token};
        $say->(@request);
    } elsif ($name eq "ok" && $number == 2) {
        last;
    } elsif ($name eq "turn") {
        my (undef, $observation, $mask) = @rest;
        $say->("act", $number, choose($observation, $mask));
    } elsif ($name eq "end" && $rest[0]{over} && $request[0] ne "bye") {
        printf "%s: %d wins, returns %.1f\n", @$_{qw(name wins returns)} for @{$rest[0]{totals}};
        $say->(@request = ("bye", 2));
    } elsif ($name eq "error" && $rest[0] eq "session" && $request[0] eq "bye") {
        last;
    } elsif ($name eq "error" && $rest[0] !~ /^(hello|storage|turn|late)$/) {
        die "$rest[1]\n";
    }
}
