-- The first schema. Times are wall-clock milliseconds UTC, money is micro units (1 KES = 1,000,000).

-- "Tuma": marks the file as a ledger of this program. Files from before the first release lack this mark.
PRAGMA application_id = 0x54756d61;

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

-- A campaign that a person makes step by step in pages, or a program by the API. It holds no message: its launch plans
-- the kept contacts anew, and the same commit makes the campaign and `launched`.
CREATE TABLE preparation (
  id          TEXT PRIMARY KEY,
  revision    INTEGER NOT NULL,                                   -- rises with each change
  state       TEXT NOT NULL CHECK (state IN ('open', 'asked', 'launched', 'discarded')),
  owner       TEXT NOT NULL,
  editors     TEXT NOT NULL,                                      -- JSON: all names of those who made or changed it
  request_key TEXT UNIQUE,                                        -- of the program that made it; null: a person did
  request_digest TEXT,
  job         TEXT NOT NULL,                                      -- JSON: keys of a job file
  contacts    TEXT,                                               -- JSON: the kept file
  plan        TEXT,                                               -- JSON: what a person sees before the launch
  process     TEXT,                                               -- JSON: which process plans or launches it
  asked_by    TEXT,
  asked_at    INTEGER,
  refused     TEXT,                                               -- why; only a change opens it again
  campaign    TEXT,                                               -- the id of what it became
  created_at  INTEGER NOT NULL,
  changed_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX preparation_open ON preparation (changed_at) WHERE state IN ('open', 'asked');
CREATE INDEX preparation_campaign ON preparation (campaign) WHERE campaign IS NOT NULL;
CREATE VIEW preparation_listed AS
SELECT id, revision, state, owner, editors, job, contacts, plan, process, refused, campaign, created_at AS "createdAt",
  changed_at AS "changedAt", asked_by AS "askedBy", asked_at AS "askedAt", request_key AS "requestKey", request_digest AS "requestDigest"
FROM preparation;

-- Long work that a process of its own does (contracts/tasks.ts): a file of messages, or the removal of personal data.
CREATE TABLE task (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL CHECK (kind IN ('export', 'purge', 'erase')),
  state       TEXT NOT NULL CHECK (state IN ('working', 'done', 'failed')),
  asked       TEXT NOT NULL,                                      -- JSON
  "by"        TEXT NOT NULL,
  identities  TEXT NOT NULL,                                      -- JSON: all names of who asked
  process     TEXT,                                               -- JSON: which process works; null: it has ended
  done        INTEGER NOT NULL,
  total       INTEGER,
  result      TEXT,                                               -- JSON
  campaign    TEXT,                                               -- the id of its campaign
  begun_at    INTEGER NOT NULL,
  changed_at  INTEGER NOT NULL,
  ended_at    INTEGER,
  CHECK ((state = 'working') = (process IS NOT NULL)),
  CHECK ((state = 'working') = (ended_at IS NULL))
) STRICT;

-- Orders of programs with a key, so that a repeat does nothing twice.
CREATE TABLE request_key (
  principal   TEXT NOT NULL,
  key         TEXT NOT NULL,
  digest      TEXT NOT NULL,                                      -- of method, address and body
  process     TEXT,                                               -- the run of the server that handles it; null: none does
  begun_at    INTEGER NOT NULL,
  status      INTEGER,                                            -- of the answer; null: there is none
  answer      TEXT,                                               -- JSON, without texts and numbers
  PRIMARY KEY (principal, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_key_begun ON request_key (begun_at);

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
  price       INTEGER,                                            -- a segment, as the launch was confirmed with: held back where no other is known
  spent       INTEGER NOT NULL DEFAULT 0,                         -- = sum of message.counted
  reserved    INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),   -- of messages sending
  next_slot   REAL NOT NULL DEFAULT 0,                            -- the rate: no slot before this
  slot_slack  REAL NOT NULL DEFAULT 0,                            -- how much later than due a slot may lie without moving the next one
  taken_back  INTEGER NOT NULL DEFAULT 0,                         -- messages that killed workers had claimed and never sent
  created_at  INTEGER NOT NULL,
  activated_at INTEGER,
  first_claim_at INTEGER,
  last_claim_at INTEGER,                                          -- so that a guard looks at few campaigns
  start_at    INTEGER,
  start_deadline INTEGER NOT NULL DEFAULT 7200000,
  awaits_start INTEGER NOT NULL DEFAULT 0,                        -- 1: paused by a person before its start
  canceled_at INTEGER,
  purge_seq   INTEGER,                                            -- the last message that is done, while it is purged
  purged_at   INTEGER,
  CHECK ((state = 'paused') = (reason IS NOT NULL)),
  CHECK (state = 'draft' OR (activated_at IS NOT NULL AND account IS NOT NULL))
) STRICT;
CREATE INDEX campaign_name ON campaign (name, n);
CREATE INDEX campaign_state ON campaign (state);
CREATE INDEX campaign_claimed ON campaign (last_claim_at) WHERE last_claim_at IS NOT NULL;

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

-- A settled batch has no queued and no sending message. A campaign is finished when all its batches are settled, and no
-- messages of corrected contacts are still to come.
CREATE VIEW campaign_settled AS
SELECT n AS campaign,
  state <> 'draft' AND NOT EXISTS (SELECT 1 FROM batch WHERE batch.campaign = n AND settled_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM applying WHERE applying.campaign = n) AS settled
FROM campaign;

-- The batches that a worker may lease. Those behind a canary wait for its verdict.
CREATE VIEW batch_offered AS
SELECT b.id, b.campaign, b.epoch, b.due_at, c.kind
FROM batch AS b JOIN campaign AS c ON c.n = b.campaign
WHERE b.settled_at IS NULL AND b.worker IS NULL AND c.state = 'running'
  AND b.campaign NOT IN (SELECT campaign FROM applying WHERE phase <> 'clean')
  AND (b.first_seq = 1 OR NOT EXISTS (
    SELECT 1 FROM canary WHERE canary.campaign = b.campaign AND coalesce(verdict, 'failed') = 'failed'
  ));

CREATE TABLE worker (
  id          INTEGER PRIMARY KEY,
  boot_id     TEXT NOT NULL,
  pid_namespace TEXT NOT NULL,
  pid         INTEGER NOT NULL,
  start_ticks TEXT NOT NULL,
  roles       TEXT NOT NULL,
  registered_at INTEGER NOT NULL,
  heartbeat_at INTEGER NOT NULL,
  ill_since   INTEGER,                                            -- the messaging service does not answer it; null: it does
  next_try_at INTEGER,                                            -- of an ill service
  ended_at    INTEGER,                                            -- retired or reaped
  reaped      INTEGER NOT NULL DEFAULT 0,
  recorded    INTEGER NOT NULL DEFAULT 0,                         -- verdicts of it, ever: a wire note that knows of more is newer than this ledger
  claims      INTEGER NOT NULL DEFAULT 0,                         -- number of its latest claim: a wire note that knows of fewer is an older copy
  lock        TEXT,                                               -- identity of the file whose lock it holds; null: none
  CHECK ((ill_since IS NULL) = (next_try_at IS NULL))
) STRICT;

-- The batches in which a worker may have left a `sending` message. The reaper looks at these.
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
  ('sending', 'queued', 'worker'), ('sending', 'sent', 'worker'), ('sending', 'rejected', 'worker'), ('sending', 'uncertain', 'worker'),
  ('sending', 'queued', 'reaper'), ('sending', 'sent', 'reaper'), ('sending', 'rejected', 'reaper'), ('sending', 'uncertain', 'reaper'),
  ('uncertain', 'sent', 'worker'), ('uncertain', 'sent', 'joiner'), ('uncertain', 'sent', 'operator'),
  ('uncertain', 'queued', 'operator'), ('uncertain', 'rejected', 'operator'), ('sent', 'uncertain', 'operator'), ('rejected', 'queued', 'operator'),
  ('rejected', 'uncertain', 'operator'), ('queued', 'uncertain', 'operator'), ('skipped', 'uncertain', 'operator'), ('canceled', 'uncertain', 'operator'),
  ('canceled', 'queued', 'planner'), ('skipped', 'queued', 'planner'), ('skipped', 'queued', 'operator');

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
  text_hash   INTEGER,                                            -- 53 bits of the rendered text; null: never the same as another
  state       TEXT NOT NULL,                                      -- message_born and message_transition allow the seven only
  actor       TEXT NOT NULL,                                      -- who made the last change of state
  reason      TEXT,
  retry_helps INTEGER NOT NULL DEFAULT 0,
  attempt     INTEGER NOT NULL DEFAULT 0,
  tries       INTEGER NOT NULL DEFAULT 0,
  worker      INTEGER,
  lost        INTEGER NOT NULL DEFAULT 0,                         -- when a person accepted that the ledger was lost that claimed it, nobody knows by whom; 0: it was not
  reserved    INTEGER NOT NULL DEFAULT 0,                         -- held back on the account
  counted     INTEGER NOT NULL DEFAULT 0,                         -- in campaign.spent: the cost; unknown, uncertain: the price
  not_before  INTEGER NOT NULL DEFAULT 0,
  not_after   INTEGER,                                            -- later it is skipped; null: it is never too late
  queued_at   INTEGER NOT NULL,
  left_out    INTEGER NOT NULL DEFAULT 0,                         -- 1: the last upload of contacts names it no more
  claimed_at  INTEGER,
  settled_at  INTEGER,                                            -- when the present verdict was recorded
  send_ms     INTEGER,
  messageid   TEXT,
  network     TEXT,
  cost        INTEGER,                                            -- null: unknown
  flags       TEXT,                                               -- comma-separated: cost_unreadable, id_conflict …
  -- Written as ORs, because SQLite builds a table in memory for a longer IN at every update.
  basis       TEXT CHECK (basis = 'answer' OR basis = 'report' OR basis = 'operator' OR basis = 'mapping'),
  delivery    TEXT CHECK (delivery = 'pending' OR delivery = 'undelivered' OR delivery = 'delivered'),
  delivery_reason TEXT,
  conflict    INTEGER NOT NULL DEFAULT 0,
  reported_at INTEGER,
  written_off INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (campaign, seq),
  CHECK ((state = 'sent') = (delivery IS NOT NULL)),
  CHECK ((state = 'sent') = (basis IS NOT NULL)),
  CHECK (state <> 'sending' OR ((worker IS NOT NULL OR lost <> 0) AND attempt > 0)),
  CHECK (state IN ('sending', 'uncertain') OR reserved = 0),
  CHECK (state = 'uncertain' OR written_off = 0)
) STRICT, WITHOUT ROWID;
-- A campaign has one message to a number, key and occurrence.
CREATE UNIQUE INDEX message_identity ON message (campaign, mobile, key, occurrence);
CREATE INDEX message_uncertain ON message (mobile) WHERE state = 'uncertain';
CREATE INDEX message_held ON message (settled_at) WHERE state = 'uncertain' AND reserved > 0;
CREATE INDEX message_rejected ON message (mobile) WHERE state = 'rejected';

CREATE TRIGGER message_transition BEFORE UPDATE OF state ON message
WHEN NEW.state <> OLD.state
 AND NOT EXISTS (SELECT 1 FROM transition WHERE from_state = OLD.state AND to_state = NEW.state AND actor = NEW.actor)
BEGIN SELECT RAISE (ABORT, 'illegal transition'); END;

-- What was decided is open again only when its ground is taken back: the only report (`webhooks void`), or the mapping
-- of the answer to one of its attempts (`answers unmap`).
CREATE TRIGGER message_taken_back BEFORE UPDATE OF state ON message
WHEN NEW.state = 'uncertain' AND NEW.actor = 'operator' AND NOT CASE OLD.state
    WHEN 'sending' THEN TRUE
    WHEN 'uncertain' THEN TRUE
    WHEN 'sent' THEN OLD.basis = 'report' OR OLD.basis = 'mapping'
    ELSE EXISTS (SELECT 1 FROM evidence WHERE campaign = OLD.campaign AND seq = OLD.seq AND mapped = 1)
  END
BEGIN SELECT RAISE (ABORT, 'only a report or a mapping can be taken back'); END;

-- Each message with the time when it left, or was settled without. A worker or the reaper gives its verdict within moments
-- of the sending, so the verdict's time counts. A message that a person or a report decided left at its claim. A lost
-- message left at the latest when the loss was accepted.
CREATE VIEW message_left AS
SELECT *, CASE
  WHEN actor <> 'worker' AND actor <> 'reaper' AND state IN ('sent', 'uncertain')
  THEN min(settled_at, CASE WHEN lost <> 0 THEN lost ELSE claimed_at END)
  ELSE settled_at
END AS left_at
FROM message;

-- A message as it is listed. `providerWords`: what the provider answered last about one that was not sent.
CREATE VIEW message_listed AS
SELECT m.campaign, m.seq, m.line, m.mobile, m.key, m.occurrence, m.fields, m.state, m.delivery,
  coalesce(m.delivery_reason, m.reason) AS reason,
  CASE WHEN m.state IN ('rejected', 'uncertain') THEN (
    SELECT words FROM evidence AS e
    WHERE e.campaign = m.campaign AND e.seq = m.seq AND e.attempt = m.attempt
    ORDER BY e.at DESC LIMIT 1
  ) END AS "providerWords",
  m.messageid AS "messageId", m.network, m.segments, m.cost AS "costMicro", m.attempt AS attempts, m.queued_at AS "queuedAt",
  m.settled_at AS "settledAt", m.not_before AS "notBefore", CASE WHEN m.state = 'sent' THEN m.left_at END AS "sentAt",
  m.reported_at AS "reportedAt",
  (SELECT id FROM batch WHERE batch.campaign = m.campaign AND first_seq <= m.seq ORDER BY first_seq DESC LIMIT 1) AS batch
FROM message_left AS m;

-- The number of a person whose data is being removed. It goes with the end of that order, which anybody may give again.
CREATE TABLE erasing (
  mobile      TEXT PRIMARY KEY,
  at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- An identity changes once only: a purge of the campaign, or the removal of the person, empties it. A message of a draft
-- may change its place (canary.sql).
CREATE TRIGGER message_identity_fixed BEFORE UPDATE OF campaign, seq, mobile, key, occurrence ON message
WHEN NOT (
  NEW.campaign = OLD.campaign AND NEW.mobile = OLD.mobile AND NEW.key = OLD.key AND NEW.occurrence = OLD.occurrence
  AND EXISTS (SELECT 1 FROM campaign WHERE n = OLD.campaign AND state = 'draft')
) AND NOT (
  NEW.campaign = OLD.campaign AND NEW.seq = OLD.seq AND NEW.occurrence = OLD.occurrence
  AND NEW.mobile = 'purged-' || OLD.seq AND NEW.key = ''
  AND (
    EXISTS (SELECT 1 FROM campaign WHERE n = OLD.campaign AND purge_seq IS NOT NULL AND purged_at IS NULL)
    OR ((OLD.state NOT IN ('queued', 'sending') OR EXISTS (SELECT 1 FROM schedule WHERE campaign = OLD.campaign))
      AND EXISTS (SELECT 1 FROM erasing WHERE mobile = OLD.mobile OR mobile IN (
      SELECT o.mobile FROM other_number AS o WHERE o.campaign = OLD.campaign AND o.seq = OLD.seq
    )))
  )
)
BEGIN SELECT RAISE (ABORT, 'the identity of a message is fixed'); END;

-- The orders to send one person nothing more of a campaign. Null means any. An order is never taken back; only a
-- purge of the campaign removes it.
CREATE TABLE canceled_person (
  campaign    INTEGER NOT NULL REFERENCES campaign (n),
  mobile      TEXT,
  key         TEXT,
  occurrence  TEXT,
  CHECK (mobile IS NOT NULL OR key IS NOT NULL)
) STRICT;
CREATE INDEX canceled_person_campaign ON canceled_person (campaign, mobile);
CREATE VIEW message_of_canceled AS
SELECT m.campaign, m.seq
FROM message AS m CROSS JOIN canceled_person AS p ON p.campaign = m.campaign
WHERE (p.mobile = m.mobile OR p.mobile IS NULL)
  AND (p.key IS NULL OR p.key = m.key) AND (p.occurrence IS NULL OR p.occurrence = m.occurrence);

-- Whatever becomes queued again under such an order is canceled in the same statement: a message that was not sent
-- after all, and one that is retried, resolved or named by corrected contacts.
CREATE TRIGGER message_stays_canceled AFTER UPDATE OF state ON message
WHEN NEW.state = 'queued' AND OLD.state <> 'queued'
 AND EXISTS (SELECT 1 FROM message_of_canceled WHERE campaign = NEW.campaign AND seq = NEW.seq)
BEGIN
  UPDATE message SET state = 'canceled', actor = 'operator', reason = 'canceled by hand',
    settled_at = max(NEW.queued_at, coalesce(OLD.settled_at, OLD.claimed_at, 0))
  WHERE campaign = NEW.campaign AND seq = NEW.seq;
END;

CREATE TRIGGER message_kept BEFORE DELETE ON message
WHEN (SELECT state FROM campaign WHERE n = OLD.campaign) IS DISTINCT FROM 'draft'
BEGIN SELECT RAISE (ABORT, 'a message of a launched campaign is never deleted'); END;

-- The other usable numbers of a contact with several phone columns. Under each of them its person is the same, so a
-- reminder that one number got is not sent to another. A correction only adds to them.
CREATE TABLE other_number (
  campaign    INTEGER NOT NULL,
  mobile      TEXT NOT NULL,
  key         TEXT NOT NULL,
  occurrence  TEXT NOT NULL,
  seq         INTEGER NOT NULL,
  PRIMARY KEY (campaign, mobile, key, occurrence, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX other_number_message ON other_number (campaign, seq);

-- Reminders that were sent and purged since, as digests with a secret of the ledger. They are not sent again.
CREATE TABLE purged_reminder (
  digest      BLOB PRIMARY KEY,
  at          INTEGER NOT NULL                                    -- when the message left
) STRICT, WITHOUT ROWID;

-- A message that joins a launched campaign obeys the orders to cancel its person.
CREATE TRIGGER message_born AFTER INSERT ON message
WHEN NEW.state <> 'queued' OR NEW.actor <> 'planner' OR (SELECT state FROM campaign WHERE n = NEW.campaign) IS DISTINCT FROM 'draft'
BEGIN
  SELECT RAISE (ABORT, 'a message begins as queued, by the planner') WHERE NEW.state <> 'queued' OR NEW.actor <> 'planner';
  UPDATE message SET state = 'canceled', actor = 'operator', reason = 'canceled by hand', settled_at = NEW.queued_at
  WHERE campaign = NEW.campaign AND seq = NEW.seq
    AND EXISTS (SELECT 1 FROM message_of_canceled WHERE campaign = NEW.campaign AND seq = NEW.seq);
END;

CREATE TRIGGER message_purged AFTER UPDATE OF mobile, key ON message
BEGIN
  DELETE FROM other_number WHERE campaign = OLD.campaign AND seq = OLD.seq;
END;

CREATE TRIGGER message_deleted AFTER DELETE ON message
BEGIN
  DELETE FROM other_number WHERE campaign = OLD.campaign AND seq = OLD.seq;
END;

-- A report finds its message here. The plain id is the id in lower case without leading zeros, because some reports name
-- an id in another form. It is not unique: a provider that repeats one must not cost the other outcomes of the commit.
CREATE INDEX message_family ON message (ltrim(lower(messageid), '0'), campaign, seq) WHERE messageid IS NOT NULL;
CREATE VIEW message_id AS
SELECT ltrim(lower(messageid), '0') AS plain_id, campaign, seq FROM message WHERE messageid IS NOT NULL;

CREATE TABLE attempt (
  campaign    INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  number      INTEGER NOT NULL,
  lost        INTEGER NOT NULL DEFAULT 0,
  claimed_at  INTEGER,
  settled_at  INTEGER,
  outcome     TEXT NOT NULL,
  reason      TEXT,
  send_ms     INTEGER,
  PRIMARY KEY (campaign, seq, number)
) STRICT, WITHOUT ROWID;

-- The bytes seen on the wire, for every attempt without a plain acceptance.
CREATE TABLE evidence (
  campaign    INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  attempt     INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  http_status INTEGER,
  code        TEXT,
  raw         TEXT,
  words       TEXT,                                               -- the provider's own, cleaned and cut
  answer      INTEGER REFERENCES answer (id),                     -- null: the profile knows what it means, or it has no group
  mapped      INTEGER NOT NULL DEFAULT 0,                         -- 1: a person's meaning of the answer decided this attempt
  PRIMARY KEY (campaign, seq, attempt, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_answer ON evidence (answer, campaign) WHERE answer IS NOT NULL;

-- Answers that the profile does not know, one row a group, and what a person said they mean (tuma answers).
CREATE TABLE answer (
  id          INTEGER PRIMARY KEY,
  http_status INTEGER,
  content     TEXT NOT NULL,                                      -- hash of the whole content, without what surely varies
  code        TEXT,
  words       TEXT NOT NULL,                                      -- for people, without what surely varies
  first_at    INTEGER NOT NULL,
  meaning     TEXT CHECK (meaning IN ('credit', 'sender', 'credentials', 'contact', 'network', 'opted_out', 'accepted', 'uncertain')),
  by          TEXT,
  CHECK ((meaning IS NULL) = (by IS NULL))
) STRICT;
CREATE UNIQUE INDEX answer_group ON answer (content, ifnull(http_status, 0));
CREATE INDEX answer_first ON answer (first_at);

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
  kind        TEXT CHECK (kind IN ('report', 'reply', 'other', 'not_understood')), -- null: not processed yet
  urgent      INTEGER NOT NULL DEFAULT 0,                         -- it looks like a reply: a STOP must not wait behind a million reports
  alerted     INTEGER NOT NULL DEFAULT 0,                         -- an alert counted it as not understood
  voided_at   INTEGER,
  purged_at   INTEGER
) STRICT;
CREATE INDEX webhook_new ON webhook (urgent DESC, id) WHERE kind IS NULL;
CREATE INDEX webhook_to_alert ON webhook (id) WHERE kind = 'not_understood' AND alerted = 0 AND voided_at IS NULL;

-- The collector writes it to try whether a webhook could be stored. Its database role may write no facts.
CREATE TABLE inbox_trial (n INTEGER PRIMARY KEY CHECK (n = 1), tried_at INTEGER NOT NULL) STRICT;

CREATE TABLE report (
  id          INTEGER PRIMARY KEY,
  webhook     INTEGER NOT NULL REFERENCES webhook (id),
  messageid   TEXT NOT NULL,
  plain_id    TEXT GENERATED ALWAYS AS (ltrim(lower(messageid), '0')) VIRTUAL, -- as in message_id
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
  effect      TEXT CHECK (effect = 'opted_out' OR effect = 'permanent' OR effect = 'absent'), -- what it says of the number
  known       INTEGER NOT NULL DEFAULT 1,                         -- the word is in the profile; a person may map the others
  CHECK ((joined = 'joined') = (campaign IS NOT NULL AND seq IS NOT NULL))
) STRICT;
CREATE INDEX report_unjoined ON report (plain_id) WHERE joined <> 'joined';
CREATE INDEX report_unjoined_to ON report (plain_id, mobile) WHERE joined <> 'joined' AND mobile IS NOT NULL;
CREATE INDEX report_message ON report (campaign, seq) WHERE campaign IS NOT NULL;
CREATE INDEX report_webhook ON report (webhook);
CREATE INDEX report_unknown ON report (word) WHERE known = 0;

-- Rejected messages whose number a waiting report names. The report came within 72 h after an attempt, so the message
-- may have been sent.
CREATE VIEW contradiction AS
SELECT m.campaign, m.seq, r.id AS report, r.webhook, r.received_at
FROM report AS r INDEXED BY report_unjoined CROSS JOIN message AS m INDEXED BY message_rejected ON m.mobile = r.mobile
WHERE r.joined <> 'joined' AND r.joined = 'waiting' AND m.state = 'rejected' AND (
  r.received_at BETWEEN m.claimed_at AND m.claimed_at + 259200000
  OR EXISTS (
    SELECT 1 FROM attempt AS a
    WHERE a.campaign = m.campaign AND a.seq = m.seq AND r.received_at BETWEEN a.claimed_at AND a.claimed_at + 259200000
  )
);

CREATE TABLE report_word (
  letters     TEXT PRIMARY KEY,                                   -- as words are compared: letters only, in lower case
  delivery    TEXT NOT NULL CHECK (delivery IN ('pending', 'undelivered', 'delivered'))
) STRICT, WITHOUT ROWID;

CREATE TABLE reply (
  id          INTEGER PRIMARY KEY,
  identity    TEXT NOT NULL UNIQUE,                               -- chat: its id; SMS, which has none: a hash of the record
  webhook     INTEGER NOT NULL REFERENCES webhook (id),
  channel     TEXT NOT NULL CHECK (channel IN ('sms', 'chat')),
  record_id   TEXT,                                               -- of a chat message: the path segment of its media
  mobile      TEXT NOT NULL,
  addressee   TEXT NOT NULL,                                      -- our shortcode, sender name or chat account
  text        TEXT NOT NULL,
  at          INTEGER,                                            -- when the service says it came; null: unreadable
  received_at INTEGER NOT NULL,                                   -- when the webhook arrived
  -- The order of the inbox. Nothing was written after it arrived, so a later time is a wrong clock.
  written_at  INTEGER NOT NULL GENERATED ALWAYS AS (min(coalesce(at, received_at), received_at)) VIRTUAL,
  detail      TEXT NOT NULL,                                      -- JSON: the record's other fields (media, addresses)
  -- maybe_stop: for a person to read, because it holds something like a stop.
  wish        TEXT CHECK (wish = 'stop' OR wish = 'start' OR wish = 'maybe_stop'),
  campaign    INTEGER,                                            -- the last one that wrote to the number before
  seq         INTEGER,
  alerted     INTEGER NOT NULL DEFAULT 0,                         -- an alert counted it as a wish in doubt
  voided_at   INTEGER
) STRICT;
CREATE INDEX reply_mobile ON reply (mobile, written_at, id);
CREATE INDEX reply_written ON reply (written_at, id);
CREATE INDEX reply_webhook ON reply (webhook);
CREATE INDEX reply_maybe_stop ON reply (id) WHERE wish = 'maybe_stop';

-- Every STOP, START and order about a number. Rows never change and are never deleted. `opt_out` is computed from this
-- table and from `failure`.
CREATE TABLE opt_out_event (
  id          INTEGER PRIMARY KEY,
  at          INTEGER NOT NULL,
  mobile      TEXT NOT NULL,
  sender      TEXT NOT NULL,                                      -- empty: promotional messages of every sender
  change      TEXT NOT NULL CHECK (change IN ('added', 'removed', 'voided')),
  source      TEXT NOT NULL,                                      -- reply, operator, import; report and learned only tell
  by          TEXT NOT NULL,
  evidence    TEXT,
  webhook     INTEGER,                                            -- that asked for it
  voids       INTEGER REFERENCES opt_out_event (id)               -- of `voided`: the event that no longer counts
) STRICT;
CREATE INDEX opt_out_event_mobile ON opt_out_event (mobile);
CREATE INDEX opt_out_event_webhook ON opt_out_event (webhook) WHERE webhook IS NOT NULL;
CREATE TRIGGER opt_out_event_kept_update BEFORE UPDATE ON opt_out_event
BEGIN SELECT RAISE (ABORT, 'the history of opt-outs is append-only'); END;
CREATE TRIGGER opt_out_event_kept_delete BEFORE DELETE ON opt_out_event
BEGIN SELECT RAISE (ABORT, 'the history of opt-outs is append-only'); END;

-- The numbers that get no promotional messages now. The claim looks them up.
CREATE TABLE opt_out (
  mobile      TEXT NOT NULL,
  sender      TEXT NOT NULL,
  source      TEXT NOT NULL,
  at          INTEGER NOT NULL,
  evidence    TEXT,
  PRIMARY KEY (mobile, sender)
) STRICT, WITHOUT ROWID;

-- A reply as it is listed, with what it answers.
CREATE VIEW reply_listed AS
SELECT r.id, r.channel, r.record_id AS "recordId", r.mobile, r.addressee, r.text, r.at, r.received_at AS "receivedAt",
  r.written_at AS "writtenAt", r.detail, r.wish, r.campaign, c.id AS "campaignId", c.name AS "campaignName", m.line
FROM reply AS r
LEFT JOIN campaign AS c ON c.n = r.campaign
LEFT JOIN message AS m ON m.campaign = r.campaign AND m.seq = r.seq
WHERE r.voided_at IS NULL;

-- Replies that may ask to stop, and nobody has decided since. A person decides with tuma optouts.
CREATE VIEW reply_in_doubt AS
SELECT id, mobile, received_at, alerted
FROM reply AS r
WHERE wish = 'maybe_stop' AND voided_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM opt_out AS o WHERE o.mobile = r.mobile AND o.sender = '')
  AND NOT EXISTS (
    SELECT 1 FROM opt_out_event AS e
    WHERE e.mobile = r.mobile AND e.at >= r.received_at AND e.source NOT IN ('report', 'learned')
  );

-- Messages whose delivery failed in a way that speaks against the number. A suppression is computed from them, so
-- it can be undone.
CREATE TABLE failure (
  mobile      TEXT NOT NULL,
  campaign    INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  effect      TEXT NOT NULL CHECK (effect IN ('opted_out', 'permanent', 'absent')),
  at          INTEGER NOT NULL,                                   -- when the report came
  PRIMARY KEY (mobile, campaign, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE dead_number (
  mobile      TEXT PRIMARY KEY,
  at          INTEGER NOT NULL,                                   -- the failure that decided it
  evidence    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The reminders of one reading of a contacts file, in order of their times, until their batches are known.
CREATE TABLE staged (
  draft       INTEGER NOT NULL,
  not_before  INTEGER NOT NULL,
  line        INTEGER NOT NULL,
  mobile      TEXT NOT NULL,
  key         TEXT NOT NULL,
  occurrence  TEXT NOT NULL,
  about       TEXT NOT NULL,                                      -- the occurrence; empty where a key lets it move
  fields      TEXT NOT NULL,
  segments    INTEGER NOT NULL,
  not_after   INTEGER NOT NULL,
  skip        TEXT,                                               -- why it will not be sent; null: it will
  text_hash   INTEGER,
  others      TEXT NOT NULL DEFAULT '[]',                         -- JSON array of the row's other usable numbers
  PRIMARY KEY (draft, not_before, line)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX staged_identity ON staged (draft, mobile, key, about);

-- The other numbers of staged rows: two rows of one key (and date) never share a number.
CREATE TABLE staged_number (
  draft       INTEGER NOT NULL,
  mobile      TEXT NOT NULL,
  key         TEXT NOT NULL,
  about       TEXT NOT NULL,
  line        INTEGER NOT NULL,
  PRIMARY KEY (draft, mobile, key, about)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER staged_left AFTER DELETE ON staged WHEN OLD.others <> '[]'
BEGIN
  DELETE FROM staged_number
  WHERE draft = OLD.draft AND key = OLD.key AND about = OLD.about AND mobile IN (SELECT value FROM json_each(OLD.others));
END;

-- A corrected upload that was accepted and now changes an open campaign. Nothing of it is claimed meanwhile.
CREATE TABLE applying (
  campaign    INTEGER PRIMARY KEY REFERENCES campaign (n),
  draft       INTEGER NOT NULL,
  upload      INTEGER NOT NULL,
  phase       TEXT NOT NULL CHECK (phase IN ('lay', 'cancel', 'clean')),
  after_moment INTEGER NOT NULL DEFAULT -9007199254740991,        -- lay: the last staged row that has its place
  after_line  INTEGER NOT NULL DEFAULT 0,
  after_seq   INTEGER NOT NULL DEFAULT 0                          -- cancel: the last message that was looked at
) STRICT;

-- A recurring job: the campaign is the snapshot that each firing copies.
CREATE TABLE schedule (
  campaign    INTEGER PRIMARY KEY REFERENCES campaign (n),
  next_at     INTEGER,                                            -- null: it never fires again
  building    INTEGER                                             -- the draft of the firing under way
) STRICT;

CREATE TABLE firing (
  schedule    INTEGER NOT NULL REFERENCES schedule (campaign),
  at          INTEGER NOT NULL,
  campaign    INTEGER UNIQUE REFERENCES campaign (n),             -- null: missed, or left out
  left_out    INTEGER NOT NULL DEFAULT 0,                         -- 1: a person left it out (`skip`)
  decided_at  INTEGER NOT NULL,
  CHECK (campaign IS NULL OR left_out = 0),
  PRIMARY KEY (schedule, at)
) STRICT, WITHOUT ROWID;

-- The first messages, which go alone. All other batches wait while the verdict is missing or `failed`.
CREATE TABLE canary (
  campaign    INTEGER PRIMARY KEY REFERENCES campaign (n),
  messages    INTEGER NOT NULL CHECK (messages > 0),              -- those from 1 to this, a batch of their own
  wait_ms     INTEGER NOT NULL,
  delivered   REAL NOT NULL CHECK (delivered > 0 AND delivered <= 1),
  verdict     TEXT CHECK (verdict = 'passed' OR verdict = 'failed' OR verdict = 'overridden'),
  why         TEXT,
  decided_at  INTEGER,
  CHECK ((verdict IS NULL) = (decided_at IS NULL))
) STRICT;

-- Networks that a campaign holds because they fail. They stand here, so a restart or a second worker knows of them.
CREATE TABLE network_hold (
  campaign    INTEGER NOT NULL REFERENCES campaign (n),
  network     TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('held', 'probing', 'well', 'overridden')),
  cause       TEXT NOT NULL DEFAULT 'delivery' CHECK (cause IN ('sending', 'delivery')),
  why         TEXT,
  since       INTEGER NOT NULL,                                   -- when it was held first
  until       INTEGER NOT NULL,                                   -- held: tried again; probing: its probes are waited for
  wait_ms     INTEGER NOT NULL,
  counted_from INTEGER NOT NULL,                                  -- messages claimed until then say nothing any more
  reopened    INTEGER NOT NULL DEFAULT 0,
  alone       INTEGER NOT NULL DEFAULT 0,                         -- nothing else of the campaign went while it was held
  probes      TEXT NOT NULL DEFAULT '[]',                         -- JSON: the messages that try it
  PRIMARY KEY (campaign, network)
) STRICT, WITHOUT ROWID;

-- The messages that wait for a held network. The row of a message that was claimed anyway has no meaning.
CREATE TABLE network_held (
  campaign    INTEGER NOT NULL,
  network     TEXT NOT NULL,
  seq         INTEGER NOT NULL,
  PRIMARY KEY (campaign, network, seq)
) STRICT, WITHOUT ROWID;

-- The messages that try held networks. A message that was put back, canceled or rejected for another reason does not count (`takes_place` 0).
CREATE VIEW network_probe AS
SELECT h.campaign, h.network,
  m.state IN ('sending', 'sent', 'uncertain') OR (h.cause = 'sending' AND m.state = 'rejected' AND m.reason = 'network not allowed') AS takes_place,
  CASE WHEN h.cause = 'sending' THEN m.state = 'sent' ELSE m.delivery = 'delivered' END AS arrived,
  CASE WHEN h.cause = 'sending' THEN m.state = 'uncertain' OR (m.state = 'rejected' AND m.reason = 'network not allowed') ELSE m.delivery = 'undelivered' END AS failed
FROM network_hold AS h CROSS JOIN json_each(h.probes) AS p
CROSS JOIN message AS m ON m.campaign = h.campaign AND m.seq = CAST(p.value AS bigint);

-- Earlier senders of a campaign. The sender of a message is the first row whose `until` is after the message's claim.
-- Without such a row it is the campaign's own sender.
CREATE TABLE former_sender (
  campaign    INTEGER NOT NULL,
  until       INTEGER NOT NULL,
  sender      TEXT NOT NULL,
  PRIMARY KEY (campaign, until)
) STRICT, WITHOUT ROWID;

-- Counters (contracts/counters.ts): sums of the messages of each campaign, for display only. The writer changes them in the
-- commit that changes the messages (counters.ts). An empty text and -1 stand for what such a message does not have.
CREATE TABLE campaign_count (
  campaign    INTEGER NOT NULL,
  state       TEXT NOT NULL,
  delivery    TEXT NOT NULL,                                      -- of sent ones
  conflict    INTEGER NOT NULL,
  written_off INTEGER NOT NULL,
  retry_helps INTEGER NOT NULL,
  reason      TEXT NOT NULL,                                      -- of undelivered ones, and of those that will not be sent
  network     TEXT NOT NULL,                                      -- of sent ones; empty: not known
  segments    INTEGER NOT NULL,
  unknown     INTEGER NOT NULL,                                   -- of unknown cost: what each counts; -1: its cost is known, or there is none
  messages    INTEGER NOT NULL,
  cost        INTEGER NOT NULL,                                   -- known charges of all of them
  PRIMARY KEY (campaign, state, delivery, conflict, written_off, retry_helps, reason, network, segments, unknown)
) STRICT, WITHOUT ROWID;

-- The same by time. Messages stand at the time when they left or were settled without, as pending ones too;
-- delivered and undelivered ones at the time of their report.
CREATE TABLE campaign_time (
  campaign    INTEGER NOT NULL,
  unit        INTEGER NOT NULL,                                   -- 1000 or 60000: how long the step is
  at          INTEGER NOT NULL,                                   -- when it begins
  what        TEXT NOT NULL,
  messages    INTEGER NOT NULL,
  first_at    INTEGER,                                            -- of a second: the first and the last of its times since it was empty
  last_at     INTEGER,
  PRIMARY KEY (campaign, unit, at, what)
) STRICT, WITHOUT ROWID;

-- How long the answers took, and the reports to come: buckets of four to a doubling.
CREATE TABLE campaign_latency (
  campaign    INTEGER NOT NULL,
  what        TEXT NOT NULL,                                      -- send or delivery
  bucket      INTEGER NOT NULL,
  messages    INTEGER NOT NULL,
  PRIMARY KEY (campaign, what, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  id          INTEGER PRIMARY KEY,
  at          INTEGER NOT NULL,
  by          TEXT NOT NULL,
  verb        TEXT NOT NULL,
  campaign    INTEGER,
  detail      TEXT NOT NULL,
  asked_from  TEXT                                                -- an address; null: at this machine, or by Tuma itself
) STRICT;
-- A purge of the campaign, or the removal of a person, removes a number that an operator named, and words of the
-- provider. Nothing else changes, nor does a removal touch a campaign in which its person does not stand.
CREATE TRIGGER audit_kept_update BEFORE UPDATE ON audit
WHEN NOT (
  NEW.id = OLD.id AND NEW.at = OLD.at AND NEW."by" = OLD."by" AND NEW.verb = OLD.verb
  AND NEW.campaign IS NOT DISTINCT FROM OLD.campaign
  AND NEW.asked_from IS NOT DISTINCT FROM OLD.asked_from
  AND NEW.detail = json_remove(OLD.detail, '$.mobile', '$.key', '$.words', '$.evidence')
  AND (
    EXISTS (SELECT 1 FROM campaign WHERE n = OLD.campaign AND purge_seq IS NOT NULL AND purged_at IS NULL)
    OR EXISTS (
      SELECT 1 FROM erasing AS e
      WHERE e.mobile = CAST(OLD.detail ->> '$.mobile' AS text)
        OR EXISTS (SELECT 1 FROM message AS i WHERE i.campaign = OLD.campaign AND i.mobile = e.mobile)
        OR EXISTS (SELECT 1 FROM other_number AS o WHERE o.campaign = OLD.campaign AND o.mobile = e.mobile)
    )
  )
)
BEGIN SELECT RAISE (ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_kept_delete BEFORE DELETE ON audit BEGIN SELECT RAISE (ABORT, 'the audit is append-only'); END;

-- Who may use the pages and the API. Of passwords, sessions, links and tokens only digests stand here.
CREATE TABLE web_user (
  name        TEXT PRIMARY KEY,                                   -- domain/roles.ts accountName
  id          TEXT NOT NULL UNIQUE,                               -- never of another user, also when the name is given anew
  role        TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'approver', 'admin')),
  password    TEXT,                                               -- scrypt with its parameters; null: not set yet
  added_at    INTEGER NOT NULL,
  added_by    TEXT NOT NULL,
  seen_at     INTEGER                                             -- the last sign-in
) STRICT;

CREATE TABLE web_session (
  digest      TEXT PRIMARY KEY,
  name        TEXT,                                               -- null: of the home link
  begun_at    INTEGER NOT NULL,
  used_at     INTEGER NOT NULL,                                   -- to a minute
  ends_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX web_session_name ON web_session (name);

-- A link sets a password once.
CREATE TABLE sign_in_link (
  digest      TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  ends_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_link_name ON sign_in_link (name);

-- Tries to sign in that have not succeeded, for a while. The name is a digest, because people type passwords there.
CREATE TABLE sign_in_attempt (
  id          INTEGER PRIMARY KEY,
  name        TEXT NOT NULL,
  address     TEXT NOT NULL,
  at          INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_attempt_name ON sign_in_attempt (name, at);
CREATE INDEX sign_in_attempt_address ON sign_in_attempt (address, at);

CREATE TABLE api_token (
  digest      TEXT PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  role        TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'approver', 'admin')),
  added_at    INTEGER NOT NULL,
  added_by    TEXT NOT NULL,
  owners      TEXT NOT NULL DEFAULT '[]',                         -- JSON: all names of who made it, and so answers for it
  ends_at     INTEGER NOT NULL,
  used_at     INTEGER                                             -- to an hour
) STRICT;

-- The alerts, one for each event. `about` separates events of one cause.
CREATE TABLE alert (
  id          INTEGER PRIMARY KEY,
  cause       TEXT NOT NULL,
  about       TEXT NOT NULL,
  campaign    INTEGER REFERENCES campaign (n),
  at          INTEGER NOT NULL,
  detail      TEXT NOT NULL DEFAULT '{}',                         -- JSON, contracts/alerts.ts
  UNIQUE (cause, about)
) STRICT;
CREATE TABLE alert_delivery (
  alert       INTEGER NOT NULL REFERENCES alert (id),
  channel     TEXT NOT NULL,
  tries       INTEGER NOT NULL DEFAULT 0,
  next_at     INTEGER NOT NULL DEFAULT 0,                         -- of the next try
  held_until  INTEGER NOT NULL DEFAULT 0,                         -- a process tries it now
  delivered_at INTEGER,
  PRIMARY KEY (channel, alert)
) STRICT, WITHOUT ROWID;

-- Addresses of programs that get alerts, beside those that settings name. The id is their channel in alert_delivery.
CREATE TABLE alert_endpoint (
  id          TEXT PRIMARY KEY,
  url         TEXT NOT NULL,                                      -- its path may be a credential of the receiver
  description TEXT NOT NULL,
  causes      TEXT,                                               -- JSON, domain/alert.ts; null: all
  secret      TEXT NOT NULL,                                      -- signs, so it is kept as it is
  after_alert INTEGER NOT NULL,                                   -- the latest alert at its making
  added_at    INTEGER NOT NULL,
  added_by    TEXT NOT NULL,
  success_at  INTEGER,                                            -- of the last try that was taken
  failure_at  INTEGER,                                            -- of the last one that was not
  failure     TEXT                                                -- why
) STRICT;

-- Personal data that is removed when it is old. Counts, costs, states and message ids stay.
CREATE TRIGGER campaign_purge_settled BEFORE UPDATE OF purge_seq, purged_at ON campaign
WHEN (SELECT settled FROM campaign_settled WHERE campaign = NEW.n) IS NOT TRUE
  OR EXISTS (SELECT 1 FROM schedule WHERE campaign = NEW.n AND next_at IS NOT NULL)
  OR (OLD.purge_seq IS NOT NULL AND NEW.purge_seq IS NULL) OR OLD.purged_at IS NOT NULL
BEGIN SELECT RAISE (ABORT, 'only a settled campaign is purged, and once'); END;

-- A purged message cannot be sent again. The check is on the batch, because each waiting message makes its batch due,
-- and so a claim pays nothing for the check.
CREATE TRIGGER batch_purged BEFORE UPDATE OF settled_at ON batch
WHEN NEW.settled_at IS NULL AND (SELECT purge_seq FROM campaign WHERE n = OLD.campaign) IS NOT NULL
BEGIN SELECT RAISE (ABORT, 'nothing of a purged campaign is sent again'); END;
