# A bot for tables in Perl. What it does, and how to run it: README.md.
use strict;
use warnings;
use Data::MessagePack;
use List::Util qw(sum);
use ZMQ::FFI;
use ZMQ::FFI::Constants qw(ZMQ_DEALER);

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
my $server = $context->socket(ZMQ_DEALER);
$server->connect($endpoint);
my $packer = Data::MessagePack->new->utf8;    # without utf8 it packs strings as bin
my $unpacker = Data::MessagePack->new;
my $say = sub { $server->send($packer->pack([@_])) };

$say->("hello", 0, {client => "Perl"});
while (1) {
    my ($name, $number, @rest) = @{$unpacker->unpack($server->recv)};
    if ($name eq "ok" && $number == 0) {
        $say->("sit", 1, \%terms);
    } elsif ($name eq "ok" && $number == 2) {
        last;
    } elsif ($name eq "turn") {
        my (undef, $observation, $mask) = @rest;
        $say->("act", $number, choose($observation, $mask));
    } elsif ($name eq "end" && $rest[0]{over}) {
        printf "%s: %d wins, returns %.1f\n", @$_{qw(name wins returns)} for @{$rest[0]{totals}};
        $say->("bye", 2);
    } elsif ($name eq "error" && $rest[0] ne "late") {
        die "$rest[1]\n";
    }
}
