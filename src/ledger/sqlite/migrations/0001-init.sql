-- The first schema. Times are wall-clock milliseconds UTC, money is micro units (1 KES = 1,000,000).

CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE account (
  client_id   TEXT PRIMARY KEY,
  spent       INTEGER NOT NULL DEFAULT 0,                         -- known charges, ever
  assumed     INTEGER NOT NULL DEFAULT 0,                         -- reserved prices of sent messages of unknown cost, ever
  reserved    INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),   -- = sum of message.reserved
  in_flight   INTEGER NOT NULL DEFAULT 0 CHECK (in_flight >= 0),  -- = messages sending
  claims      INTEGER NOT NULL DEFAULT 0,                         -- every claim ever made
  -- The rate: slot k is at slot_origin + k * slot_spacing (ms), and is taken when byte k of slots is 1.
  slot_origin REAL NOT NULL DEFAULT 0,
  slot_spacing REAL NOT NULL DEFAULT 0,
  slots       BLOB NOT NULL DEFAULT x''
) STRICT, WITHOUT ROWID;

CREATE TABLE reading (
  id          INTEGER PRIMARY KEY,
  account     TEXT NOT NULL REFERENCES account (client_id),
  begun_at    INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  credit      INTEGER NOT NULL,
  spent       INTEGER NOT NULL,                                   -- known charges when the call began
  quiet       INTEGER NOT NULL CHECK (quiet IN (0, 1))            -- nothing in flight and nothing claimed meanwhile
) STRICT;
CREATE INDEX reading_account ON reading (account, at);

CREATE TABLE price (
  account     TEXT NOT NULL,
  network     TEXT NOT NULL,
  segments    INTEGER NOT NULL,
  cost        INTEGER NOT NULL,
  seen_at     INTEGER NOT NULL,
  PRIMARY KEY (account, network, segments)                        -- the latest cost seen
) STRICT, WITHOUT ROWID;

CREATE TABLE campaign (
  n           INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  name        TEXT NOT NULL,
  kind        TEXT NOT NULL CHECK (kind IN ('promotional', 'transactional')),
  state       TEXT NOT NULL CHECK (state IN ('draft', 'scheduled', 'running', 'paused', 'canceled')),
  reason      TEXT CHECK (reason IN ('operator', 'balance', 'budget', 'window', 'errors', 'canary', 'credentials', 'sender', 'start')),
  account     TEXT REFERENCES account (client_id),
  sender      TEXT NOT NULL,
  template    TEXT NOT NULL,
  settings    TEXT NOT NULL,                                      -- JSON, domain/campaign.ts CampaignSettings
  rate        REAL,                                               -- messages a second now; null: only the account's
  hash_job    TEXT NOT NULL,
  hash_template TEXT NOT NULL,
  hash_contacts TEXT NOT NULL,
  budget      INTEGER,
  estimated   INTEGER,
  spent       INTEGER NOT NULL DEFAULT 0,                         -- = sum of message.counted
  reserved    INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),   -- of messages sending
  next_slot   REAL NOT NULL DEFAULT 0,                            -- the rate: no slot before this
  created_at  INTEGER NOT NULL,
  activated_at INTEGER,
  first_claim_at INTEGER,
  start_at    INTEGER,
  start_deadline INTEGER NOT NULL DEFAULT 7200000,
  canceled_at INTEGER,
  CHECK ((state = 'paused') = (reason IS NOT NULL)),
  CHECK (state = 'draft' OR (activated_at IS NOT NULL AND account IS NOT NULL))
) STRICT;
CREATE INDEX campaign_name ON campaign (name, n);
CREATE INDEX campaign_state ON campaign (state);

CREATE TABLE upload (
  campaign    INTEGER NOT NULL REFERENCES campaign (n),
  number      INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  read        INTEGER NOT NULL,
  planned     INTEGER NOT NULL,
  unchanged   INTEGER NOT NULL,
  duplicate   INTEGER NOT NULL,
  invalid     INTEGER NOT NULL,
  suppressed  INTEGER NOT NULL,
  PRIMARY KEY (campaign, number),
  CHECK (read = planned + unchanged + duplicate + invalid + suppressed)
) STRICT, WITHOUT ROWID;

CREATE TABLE batch (
  id          INTEGER PRIMARY KEY,
  campaign    INTEGER NOT NULL REFERENCES campaign (n),
  first_seq   INTEGER NOT NULL,
  last_seq    INTEGER NOT NULL,
  epoch       INTEGER NOT NULL DEFAULT 0,                         -- rises with every lease; fences the previous holder
  worker      INTEGER,                                            -- the lease's holder
  lease_until INTEGER,
  lease_ms    INTEGER,                                            -- what a heartbeat prolongs it by
  due_at      INTEGER NOT NULL,
  settled_at  INTEGER,                                            -- a hint, verified when set: nothing queued or sending
  CHECK ((worker IS NULL) = (lease_until IS NULL)),
  CHECK (worker IS NULL OR settled_at IS NULL)
) STRICT;
CREATE INDEX batch_campaign ON batch (campaign, first_seq);
CREATE INDEX batch_open ON batch (campaign, due_at) WHERE settled_at IS NULL;
CREATE INDEX batch_leased ON batch (worker) WHERE worker IS NOT NULL;

-- Settled: nothing queued or sending. Nothing else decides whether a campaign is finished or stands in the way.
CREATE VIEW campaign_settled AS
SELECT n AS campaign,
  state <> 'draft' AND NOT EXISTS (SELECT 1 FROM batch WHERE batch.campaign = n AND settled_at IS NULL) AS settled
FROM campaign;

CREATE TABLE worker (
  id          INTEGER PRIMARY KEY,
  boot_id     TEXT NOT NULL,
  pid_namespace TEXT NOT NULL,
  pid         INTEGER NOT NULL,
  start_ticks TEXT NOT NULL,
  roles       TEXT NOT NULL,
  registered_at INTEGER NOT NULL,
  heartbeat_at INTEGER NOT NULL,
  ended_at    INTEGER,                                            -- retired or reaped
  reaped      INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The batches in which a worker may have left something `sending`: what the reaper looks at.
CREATE TABLE hold (
  worker      INTEGER NOT NULL,
  batch       INTEGER NOT NULL,
  PRIMARY KEY (batch, worker)
) STRICT, WITHOUT ROWID;

-- docs/state-machines.md; domain/message.ts TRANSITIONS. A test holds the three equal.
CREATE TABLE transition (
  from_state  TEXT NOT NULL,
  to_state    TEXT NOT NULL,
  actor       TEXT NOT NULL,
  PRIMARY KEY (from_state, to_state, actor)
) STRICT, WITHOUT ROWID;
INSERT INTO transition VALUES
  ('queued', 'skipped', 'claimer'), ('queued', 'skipped', 'planner'),
  ('queued', 'canceled', 'operator'), ('queued', 'canceled', 'planner'),
  ('queued', 'sending', 'claimer'),
  ('sending', 'queued', 'worker'), ('sending', 'sent', 'worker'), ('sending', 'rejected', 'worker'),
  ('sending', 'uncertain', 'worker'), ('sending', 'uncertain', 'reaper'),
  ('uncertain', 'sent', 'worker'), ('uncertain', 'sent', 'joiner'), ('uncertain', 'sent', 'operator'),
  ('uncertain', 'queued', 'operator'), ('rejected', 'queued', 'operator');

-- The row holds the latest attempt; earlier ones are in `attempt`.
CREATE TABLE message (
  campaign    INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  line        INTEGER NOT NULL,
  mobile      TEXT NOT NULL,
  key         TEXT NOT NULL DEFAULT '',
  occurrence  TEXT NOT NULL DEFAULT '',
  fields      TEXT NOT NULL,                                      -- JSON array, aligned to settings.header
  segments    INTEGER NOT NULL CHECK (segments > 0),
  state       TEXT NOT NULL,                                      -- message_born and message_transition allow the seven only
  actor       TEXT NOT NULL,                                      -- who made the last change of state
  reason      TEXT,
  retry_helps INTEGER NOT NULL DEFAULT 0,
  attempt     INTEGER NOT NULL DEFAULT 0,
  tries       INTEGER NOT NULL DEFAULT 0,
  worker      INTEGER,
  reserved    INTEGER NOT NULL DEFAULT 0,                         -- held back on the account
  counted     INTEGER NOT NULL DEFAULT 0,                         -- in campaign.spent: the cost; unknown, uncertain: the price
  not_before  INTEGER NOT NULL DEFAULT 0,
  queued_at   INTEGER NOT NULL,
  claimed_at  INTEGER,
  settled_at  INTEGER,                                            -- when the present verdict was recorded
  send_ms     INTEGER,
  messageid   TEXT,
  network     TEXT,
  cost        INTEGER,                                            -- null: unknown
  flags       TEXT,                                               -- comma-separated: cost_unreadable, id_conflict …
  -- Written out, for SQLite builds a table in memory for each longer IN, at every single update.
  basis       TEXT CHECK (basis = 'answer' OR basis = 'report' OR basis = 'operator'),
  delivery    TEXT CHECK (delivery = 'pending' OR delivery = 'undelivered' OR delivery = 'delivered'),
  delivery_reason TEXT,
  conflict    INTEGER NOT NULL DEFAULT 0,
  reported_at INTEGER,
  written_off INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (campaign, seq),
  CHECK ((state = 'sent') = (delivery IS NOT NULL)),
  CHECK ((state = 'sent') = (basis IS NOT NULL)),
  CHECK (state <> 'sending' OR (worker IS NOT NULL AND attempt > 0)),
  CHECK (state IN ('sending', 'uncertain') OR reserved = 0),
  CHECK (state = 'uncertain' OR written_off = 0)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX message_identity ON message (campaign, mobile, key, occurrence);
-- Not unique: a provider that repeats an id must not cost the other outcomes of the same commit.
CREATE INDEX message_messageid ON message (messageid) WHERE messageid IS NOT NULL;
CREATE INDEX message_uncertain ON message (mobile) WHERE state = 'uncertain';
CREATE INDEX message_held ON message (settled_at) WHERE state = 'uncertain' AND reserved > 0;

CREATE TRIGGER message_born BEFORE INSERT ON message WHEN NEW.state <> 'queued' OR NEW.actor <> 'planner'
BEGIN SELECT RAISE (ABORT, 'a message begins as queued, by the planner'); END;

CREATE TRIGGER message_transition BEFORE UPDATE OF state ON message
WHEN NEW.state <> OLD.state
 AND NOT EXISTS (SELECT 1 FROM transition WHERE from_state = OLD.state AND to_state = NEW.state AND actor = NEW.actor)
BEGIN SELECT RAISE (ABORT, 'illegal transition'); END;

CREATE TRIGGER message_identity_fixed BEFORE UPDATE OF campaign, seq, mobile, key, occurrence ON message
BEGIN SELECT RAISE (ABORT, 'the identity of a message is fixed'); END;

CREATE TRIGGER message_kept BEFORE DELETE ON message
WHEN (SELECT state FROM campaign WHERE n = OLD.campaign) IS NOT 'draft'
BEGIN SELECT RAISE (ABORT, 'a message of a launched campaign is never deleted'); END;

CREATE TABLE attempt (
  campaign    INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  number      INTEGER NOT NULL,
  worker      INTEGER,
  claimed_at  INTEGER,
  settled_at  INTEGER,
  outcome     TEXT NOT NULL,
  reason      TEXT,
  send_ms     INTEGER,
  PRIMARY KEY (campaign, seq, number)
) STRICT, WITHOUT ROWID;

-- What was seen on the wire, for every attempt that did not end in a plain acceptance.
CREATE TABLE evidence (
  campaign    INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  attempt     INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  http_status INTEGER,
  code        TEXT,
  raw         TEXT,
  PRIMARY KEY (campaign, seq, attempt, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook (
  id          INTEGER PRIMARY KEY,
  received_at INTEGER NOT NULL,
  last_at     INTEGER NOT NULL,
  times       INTEGER NOT NULL DEFAULT 1,
  digest      BLOB NOT NULL UNIQUE,                               -- half a sha256 of method, query, content type and body
  method      TEXT NOT NULL,
  content_type TEXT NOT NULL,
  query       TEXT NOT NULL,
  body        BLOB NOT NULL,
  ip          TEXT NOT NULL,
  kind        TEXT CHECK (kind IN ('report', 'reply', 'other', 'not_understood')) -- null: not processed yet
) STRICT;
CREATE INDEX webhook_new ON webhook (id) WHERE kind IS NULL;

CREATE TABLE report (
  id          INTEGER PRIMARY KEY,
  webhook     INTEGER NOT NULL REFERENCES webhook (id),
  messageid   TEXT NOT NULL,
  word        TEXT NOT NULL,
  delivery    TEXT CHECK (delivery IN ('pending', 'undelivered', 'delivered')),
  reason      TEXT,
  mobile      TEXT,
  network     TEXT,
  at          INTEGER,
  received_at INTEGER NOT NULL,
  campaign    INTEGER,
  seq         INTEGER,
  joined      TEXT NOT NULL CHECK (joined IN ('waiting', 'joined', 'ambiguous')),
  CHECK ((joined = 'joined') = (campaign IS NOT NULL AND seq IS NOT NULL))
) STRICT;
CREATE INDEX report_waiting ON report (messageid) WHERE joined = 'waiting';
CREATE INDEX report_message ON report (campaign, seq) WHERE campaign IS NOT NULL;

CREATE TABLE opt_out (
  mobile      TEXT PRIMARY KEY,
  source      TEXT NOT NULL,
  at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  id          INTEGER PRIMARY KEY,
  at          INTEGER NOT NULL,
  by          TEXT NOT NULL,
  verb        TEXT NOT NULL,
  campaign    INTEGER,
  detail      TEXT NOT NULL
) STRICT;
CREATE TRIGGER audit_kept_update BEFORE UPDATE ON audit BEGIN SELECT RAISE (ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_kept_delete BEFORE DELETE ON audit BEGIN SELECT RAISE (ABORT, 'the audit is append-only'); END;
