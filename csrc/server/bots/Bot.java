// A bot for tables in Java. What it does, and how to compile it: README.md.
import static org.msgpack.value.ValueFactory.*;

import java.io.IOException;
import java.math.BigInteger;
import java.util.List;
import java.util.stream.IntStream;
import org.msgpack.core.MessagePack;
import org.msgpack.value.Value;
import org.zeromq.ZMQ;

class Bot {
    static final int PATIENCE = 3000; // milliseconds without a message, after which the connection counts as lost

    static int choose(byte[] observation, byte[] mask) {
        int sum = 0;
        for (byte each : observation) {
            sum += each & 0xff;
        }
        int[] legal = IntStream.range(0, mask.length).filter(action -> mask[action] == 1).toArray();
        return legal[sum % legal.length];
    }

    static void say(ZMQ.Socket server, Value... message) throws IOException {
        var packer = MessagePack.newDefaultBufferPacker();
        packer.packValue(newArray(message));
        server.send(packer.toByteArray());
    }

    static Value get(Value map, String key) {
        return map.asMapValue().map().getOrDefault(newString(key), newNil());
    }

    static ZMQ.Socket connect(ZMQ.Context context, String endpoint, int attempt, Value token) throws IOException {
        var server = context.socket(ZMQ.DEALER);
        server.setLinger(0);
        server.setReceiveTimeOut(PATIENCE);
        server.connect(endpoint);
        say(server, newString("hello"), newInteger(0), newMap(
            newString("client"), newString("Java"), newString("attempt"), newInteger(attempt),
            newString("token"), token));
        return server;
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 4) {
            System.err.println("usage: bot ENDPOINT TABLE GAME SEED");
            System.exit(2);
        }
        var terms = newMap(
            newString("table"), newString(arguments[1]), newString("game"), newString(arguments[2]),
            newString("seed"), newInteger(new BigInteger(arguments[3])), newString("games"), newInteger(3),
            newString("options"), newString("num_players=2"),
            newString("bots"), newArray(newString("greedy")));

        var context = ZMQ.context(1);
        Value token = newNil();
        Value[] request = {newString("sit"), newInteger(1), terms};
        int attempt = 1;
        var server = connect(context, arguments[0], attempt, token);
        for (boolean leaving = false, over = false; !over; ) {
            byte[] frame = server.recv();
            if (frame == null) {
                server.close();
                server = connect(context, arguments[0], ++attempt, token);
                continue;
            }
            var message = MessagePack.newDefaultUnpacker(frame).unpackValue().asArrayValue();
            var number = message.get(1).asIntegerValue();
            switch (message.get(0).asStringValue().asString()) {
                case "ok" -> {
                    if (number.asInt() == 0) {
                        token = get(message.get(2), "token");
                        say(server, request);
                    }
                    over = number.asInt() == 2;
                }
                case "turn" -> {
                    byte[] observation = message.get(3).asBinaryValue().asByteArray();
                    byte[] mask = message.get(4).asBinaryValue().asByteArray();
                    say(server, newString("act"), number, newInteger(choose(observation, mask)));
                }
                case "end" -> {
                    if (get(message.get(2), "over").equals(newBoolean(true)) && !leaving) {
                        for (Value player : get(message.get(2), "totals").asArrayValue()) {
                            System.out.printf("%s: %s wins, returns %s%n",
                                get(player, "name"), get(player, "wins"), get(player, "returns"));
                        }
                        leaving = true;
                        request = new Value[] {newString("bye"), newInteger(2)};
                        say(server, request);
                    }
                }
                case "error" -> {
                    var code = message.get(2).asStringValue().asString();
                    over = leaving && code.equals("session"); // the reply to bye was lost
                    if (!over && !List.of("hello", "storage", "turn", "late").contains(code)) {
                        System.err.println(message.get(3));
                        System.exit(1);
                    }
                }
                default -> { } // needs no answer
            }
        }
        server.close();
        context.term();
    }
}
