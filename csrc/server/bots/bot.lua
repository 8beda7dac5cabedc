-- A bot for `mhing connect` in plain Lua. What it does: README.md.
io.stdout:setvbuf("line")

for line in io.lines() do
  if line:match('^{"type": "turn"') then
    local sum, legal = 0, {}
    for number in line:match('"observation": (%b{})'):gsub('"[^"]*"', ""):gmatch("%d+") do
      sum = sum + tonumber(number)
    end
    for id in line:match('"ids": (%b[])'):gmatch("%d+") do
      table.insert(legal, id)
    end
    local turn = line:match('"turn": (%d+)')
    print(('{"turn": %s, "action": %s}'):format(turn, legal[sum % #legal + 1]))
  end
end
