// The WebSocket of the gateway: facts about what is learned, and the events of turns, without reload.

const listeners = new Set();
let socket = null;
let wait = 500;
let wanted = false;
let last = new Map(); // session → number of the last event seen

export function onEvent(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function send(frame) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  else onceOpen.push(frame);
}

const onceOpen = [];

export function connect() {
  wanted = true;
  open();
}

export function disconnect() {
  wanted = false;
  socket?.close();
}

function open() {
  if (socket && socket.readyState <= WebSocket.OPEN) return;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/ws`);
  socket.addEventListener("open", () => {
    wait = 500;
    socket.send(JSON.stringify({ type: "follow", facts: true }));
    for (const [session, after] of last) socket.send(JSON.stringify({ type: "subscribe", session, after }));
    for (const frame of onceOpen.splice(0)) socket.send(JSON.stringify(frame));
    tell({ type: "connected" });
  });
  socket.addEventListener("message", (message) => {
    const event = JSON.parse(message.data);
    if (event.session && Number.isInteger(event.seq)) last.set(event.session, event.seq);
    tell(event);
  });
  socket.addEventListener("close", () => {
    tell({ type: "disconnected" });
    if (!wanted) return;
    setTimeout(open, wait);
    wait = Math.min(wait * 2, 15000);
  });
}

/** Follow a session's events from the beginning of what is kept. */
export function follow(session, after = 0) {
  last = new Map([[session, after]]);
  send({ type: "subscribe", session, after });
}

function tell(event) {
  for (const listener of listeners) listener(event);
}
