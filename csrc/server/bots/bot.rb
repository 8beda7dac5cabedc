# A bot for tables in Ruby. What it does, and how to run it: README.md.
require "ffi-rzmq"
require "msgpack"

def choose(observation, mask)
  legal = mask.each_index.select { |action| mask[action] == 1 }
  legal[observation.sum % legal.size]
end

abort "usage: bot ENDPOINT TABLE GAME SEED" if ARGV.size != 4
endpoint, table, game, seed = ARGV
terms = { table:, game:, seed: seed.to_i, games: 3, options: "num_players=2", bots: ["greedy"] }

context = ZMQ::Context.new # kept: without it the socket ends when garbage is collected
server = context.socket(ZMQ::DEALER)
server.connect(endpoint)
say = ->(*message) { server.send_string(message.to_msgpack) }

say["hello", 0, { client: "Ruby" }]
loop do
  server.recv_string(frame = +"")
  case MessagePack.unpack(frame, symbolize_keys: true)
  in ["ok", 0, *] then say["sit", 1, terms]
  in ["ok", 2, *] then break
  in ["turn", turn, _, observation, mask, *]
    say["act", turn, choose(observation.bytes, mask.bytes)]
  in ["end", _, { over: true, totals: }]
    totals.each { |player| puts format("%<name>s: %<wins>d wins, returns %<returns>.1f", player) }
    say["bye", 2]
  in ["error", _, code, text, *] if code != "late"
    abort text
  else # needs no answer
  end
end
server.close
context.terminate
