-- Payments that the agent made for web pages; amounts are atomic units of a dollar coin.

CREATE TABLE payments (
  id TEXT PRIMARY KEY,
  request TEXT NOT NULL, -- digest of whose request it is, method, address and body
  turn TEXT NOT NULL, -- in which the request was made
  state TEXT NOT NULL, -- reserved, signed, settled, failed, unknown
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount BIGINT NOT NULL,
  pay_to TEXT NOT NULL,
  host TEXT NOT NULL,
  url TEXT NOT NULL,
  version BIGINT NOT NULL,
  header TEXT NOT NULL DEFAULT '', -- the signed authorisation, good for this payee and amount only
  transaction_hash TEXT NOT NULL DEFAULT '',
  error TEXT NOT NULL DEFAULT '',
  day BIGINT NOT NULL, -- since 1970, UTC
  reserved_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL, -- after that the authorisation is of no use
  changed_at BIGINT NOT NULL
);
CREATE INDEX payments_by_request ON payments (request, state);
CREATE INDEX payments_by_day ON payments (network, day);

CREATE TABLE payment_gate (id BIGINT PRIMARY KEY, passed BIGINT NOT NULL); -- one reserves at a time
INSERT INTO payment_gate (id, passed) VALUES (1, 0);
