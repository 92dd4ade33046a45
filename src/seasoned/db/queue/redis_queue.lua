-- The queue on Redis or Valkey: each change is one script, so a kill finds all of it or nothing.
--
-- pending   list, newest first: the bodies as they are, ours and those of other programs
-- archived  list, newest first: what the cap evicted
-- items     hash, id to bookkeeping (JSON; numbers as text, since cjson rounds long ones)
-- ids       hash, SHA-1 of a body to its id
-- evicted   how many the cap has ever sent to the archive
local PENDING, ARCHIVED, ITEMS, IDS, EVICTED = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local CHUNK = 16
local call = redis.call

local function save(id, item)
  call("HSET", ITEMS, id, cjson.encode(item))
end

local function made(sha, now, archived)
  return {
    sha = sha, added = now, due = now, lease = "0", attempts = "0", error = "", archived = archived,
  }
end

local function item_of(id)
  local text = call("HGET", ITEMS, id)
  return text and cjson.decode(text)
end

-- The id that another program gave its element, if it is one that can be kept and typed.
local function named(body)
  local read, value = pcall(cjson.decode, body)
  if not read then -- half an emoji, escaped, is no reason to overlook the id
    read, value = pcall(cjson.decode, (string.gsub(body, "\\u[dD][89a-fA-F]%x%x", "?")))
  end
  local id = read and type(value) == "table" and value.id
  if type(id) == "number" and id == math.floor(id) and math.abs(id) < 2 ^ 53 then
    return string.format("%.0f", id)
  end
  return type(id) == "string" and #id <= 200 and string.find(id, "^[\33-\126]+$") and id
end

-- An element of a list: its id and bookkeeping, which are made for one that another program put.
local function met(body, archived, now)
  local sha = redis.sha1hex(body)
  local id = call("HGET", IDS, sha)
  local item = id and item_of(id)
  if not item then
    id = named(body)
    if not id or call("HEXISTS", ITEMS, id) == 1 then id = sha end
    item = made(sha, now, archived)
    call("HSET", IDS, sha, id)
    save(id, item)
  elseif item.archived == "1" and archived == "0" then -- pushed anew by another program
    call("LREM", ARCHIVED, 0, body)
    item.archived = "0"
    save(id, item)
  end
  if item.added == "0" and now ~= "0" then
    item.added, item.due = now, now
    save(id, item)
  end
  return id, item
end

-- Goes through a list, the oldest first, until `visit` says that it is enough.
local function walk(key, visit)
  local last = -1
  while true do
    local part = call("LRANGE", key, last - CHUNK + 1, last)
    for place = #part, 1, -1 do
      if visit(part[place]) then return end
    end
    if #part < CHUNK then return end
    last = last - CHUNK
  end
end

local function body_of(item)
  local found
  walk(item.archived == "1" and ARCHIVED or PENDING, function(body)
    if redis.sha1hex(body) == item.sha then found = body end
    return found
  end)
  return found
end

local function forget(id, item)
  call("HDEL", ITEMS, id)
  call("HDEL", IDS, item.sha)
end

local function shown(id, body, item)
  return {id, body, item.added, item.due, item.attempts, item.error, item.lease, item.archived}
end

local function evict(cap, now)
  local count = 0
  while call("LLEN", PENDING) > cap do
    local body = call("LINDEX", PENDING, -1)
    local id, item = met(body, "0", now)
    if call("LPOS", PENDING, body) == call("LLEN", PENDING) - 1 then
      call("LPUSH", ARCHIVED, body)
      item.archived = "1"
      save(id, item)
      count = count + 1
    end -- else another program has put it twice, and one stays
    call("RPOP", PENDING)
  end
  if count > 0 then call("INCRBY", EVICTED, count) end
  return count
end

local operations = {}

function operations.push(id, body, now, cap)
  local sha = redis.sha1hex(body)
  local item = item_of(id)
  if item and body_of(item) then return 0 end
  if item then forget(id, item) end -- another program took it off the list
  local other = call("HGET", IDS, sha)
  if other and item_of(other) then
    if body_of(item_of(other)) then return -1 end
    forget(other, {sha = sha})
  end
  call("HSET", IDS, sha, id)
  save(id, made(sha, now, "0"))
  call("LPUSH", PENDING, body)
  return evict(tonumber(cap), now)
end

function operations.claim(most, now, lease)
  local taken = {}
  most = tonumber(most)
  if most <= 0 then return taken end
  walk(PENDING, function(body)
    local id, item = met(body, "0", now)
    if tonumber(item.due) <= tonumber(now) and tonumber(item.lease) <= tonumber(now) then
      item.lease = lease
      save(id, item)
      taken[#taken + 1] = shown(id, body, item)
    end
    return #taken == most
  end)
  return taken
end

function operations.finish(id)
  local item = item_of(id)
  if not item then return 0 end
  local body = body_of(item)
  if body then
    call("LREM", PENDING, 0, body)
    call("LREM", ARCHIVED, 0, body)
  end
  forget(id, item)
  return body and 1 or 0
end

function operations.fail(id, error, due)
  local item = item_of(id)
  if not item then return 0 end
  item.attempts = string.format("%.0f", tonumber(item.attempts) + 1)
  item.error, item.due, item.lease = error, due, "0"
  save(id, item)
  return 1
end

function operations.list(archived, limit)
  local found, seen = {}, {}
  local key = archived == "1" and ARCHIVED or PENDING
  if tonumber(limit) <= 0 then return found end
  for _, body in ipairs(call("LRANGE", key, 0, tonumber(limit) - 1)) do
    local id, item = met(body, archived, "0")
    if not seen[id] then found[#found + 1] = shown(id, body, item) end
    seen[id] = true
  end
  return found
end

function operations.find(beginning, most)
  local found, seen = {}, {}
  for _, list in ipairs({{PENDING, "0"}, {ARCHIVED, "1"}}) do
    walk(list[1], function(body)
      local id, item = met(body, list[2], "0")
      if string.sub(id, 1, #beginning) == beginning and not seen[id] then
        seen[id] = true
        found[#found + 1] = {id, body, item}
      end
    end)
  end
  table.sort(found, function(one, other)
    if #one[1] ~= #other[1] then return #one[1] < #other[1] end
    return one[1] < other[1]
  end)
  local first = {}
  for place = 1, math.min(#found, tonumber(most)) do first[place] = shown(unpack(found[place])) end
  return first
end

function operations.depth(now)
  local seen, pending, failing, claimed, oldest = {}, 0, 0, 0, "-1"
  walk(PENDING, function(body)
    local id, item = met(body, "0", now)
    if seen[id] then return end
    seen[id], pending = true, pending + 1
    if tonumber(item.attempts) > 0 then failing = failing + 1 end
    if tonumber(item.lease) > tonumber(now) then claimed = claimed + 1 end
    if oldest == "-1" or tonumber(item.added) < tonumber(oldest) then oldest = item.added end
  end)
  local archived = call("LLEN", ARCHIVED)
  if call("HLEN", ITEMS) > pending + archived then -- another program took some off the list
    walk(ARCHIVED, function(body) seen[met(body, "1", now)] = true end)
    local all = call("HGETALL", ITEMS)
    for place = 1, #all, 2 do
      if not seen[all[place]] then forget(all[place], cjson.decode(all[place + 1])) end
    end
  end
  return {pending, failing, claimed, archived, oldest, call("GET", EVICTED) or "0"}
end

function operations.retry_all(now)
  local seen, count = {}, 0
  walk(PENDING, function(body)
    local id, item = met(body, "0", now)
    if not seen[id] and tonumber(item.attempts) > 0 and tonumber(item.lease) <= tonumber(now) then
      item.due = now
      save(id, item)
      count = count + 1
    end
    seen[id] = true
  end)
  return count
end

function operations.retry_one(id, now, cap)
  local item = item_of(id)
  local body = item and body_of(item)
  if not body then return 1 end -- done meanwhile
  if item.archived == "1" then
    if call("LLEN", PENDING) >= tonumber(cap) then return 0 end
    call("LPUSH", PENDING, body)
    call("LREM", ARCHIVED, 0, body)
    item.archived, item.lease = "0", "0"
  end
  item.due = now
  save(id, item)
  return 1
end

function operations.clear_all(archived)
  local key, seen, count = archived == "1" and ARCHIVED or PENDING, {}, 0
  walk(key, function(body)
    local id, item = met(body, archived, "0")
    if not seen[id] then seen[id], count = item, count + 1 end
  end)
  call("DEL", key)
  for id, item in pairs(seen) do forget(id, item) end
  return count
end

return operations[ARGV[1]](unpack(ARGV, 2))
