# A bot for tables in Ruby. What it does, and how to run it: README.md.
require "ffi-rzmq"
require "msgpack"

def choose(observation, legal)
  action = observation.sum % legal.size
  action = (action + 1) % legal.size while legal[action].zero?
  action
end

abort "usage: bot ENDPOINT TABLE GAME SEED" if ARGV.size != 4
endpoint, table, game, seed = ARGV
terms = { table:, game:, seed: seed.to_i, games: 3, options: "num_players=2", bots: ["greedy"] }

server = ZMQ::Context.new.socket(ZMQ::DEALER)
server.connect(endpoint)
say = ->(*message) { server.send_string(message.to_msgpack) }

say["hello", 0, { client: "Ruby" }]
loop do
  server.recv_string(frame = +"")
  case MessagePack.unpack(frame)
  in ["ok", 0, *] then say["sit", 1, terms]
  in ["ok", 2, *] then break
  in ["turn", turn, _, observation, legal, *] then say["act", turn, choose(observation.bytes, legal.bytes)]
  in ["end", _, { "over" => true, "totals" => totals }]
    totals.each { |it| puts format("%s: %d wins, returns %.1f", *it.values_at("name", "wins", "returns")) }
    say["bye", 2]
  in ["error", _, code, text] unless code == "late" then abort text
  else # a message that needs no answer
  end
end
server.close
