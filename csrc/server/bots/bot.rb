# A bot for tables in Ruby. What it does, and how to run it: README.md.
require "ffi-rzmq"
require "msgpack"

PATIENCE = 3000 # milliseconds without a message, after which the connection counts as lost

def choose(observation, mask)
  legal = mask.each_index.select { |action| mask[action] == 1 }
  legal[observation.sum % legal.size]
end

abort "usage: bot ENDPOINT TABLE GAME SEED" if ARGV.size != 4
endpoint, table, game, seed = ARGV
terms = { table:, game:, seed: seed.to_i, games: 3, options: "num_players=2", bots: ["greedy"] }

context = ZMQ::Context.new # kept: without it the socket ends when garbage is collected
server = token = nil
attempt = 0
request = ["sit", 1, terms]
say = ->(*message) { server.send_string(message.to_msgpack) }
connect = lambda do
  server&.close
  server = context.socket(ZMQ::DEALER)
  server.setsockopt(ZMQ::LINGER, 0)
  server.setsockopt(ZMQ::RCVTIMEO, PATIENCE)
  server.connect(endpoint)
  say["hello", 0, { client: "Ruby", token:, attempt: attempt += 1 }]
end

connect[]
loop do
  while server.recv_string(frame = +"") == -1
    connect[]
  end
  case MessagePack.unpack(frame, symbolize_keys: true)
  in ["ok", 0, { token: }] then say[*request]
  in ["ok", 2, *] then break
  in ["turn", turn, _, observation, mask, *]
    say["act", turn, choose(observation.bytes, mask.bytes)]
  in ["end", _, { over: true, totals: }]
    next if request[0] == "bye" # which was said before
    totals.each { |player| puts format("%<name>s: %<wins>d wins, returns %<returns>.1f", player) }
    say[*request = ["bye", 2]]
  in ["error", _, "session", *] if request[0] == "bye" then break
  in ["error", _, code, text, *] unless %w[hello storage turn late].include? code
    abort text
  else # needs no answer
  end
end
server.close
context.terminate
