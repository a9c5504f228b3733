-- Replies, opt-outs with their history, dead numbers, unknown report words, and reports taken back.

-- What looks like a reply is read first: a STOP must not wait behind a million delivery reports.
ALTER TABLE webhook ADD COLUMN urgent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhook ADD COLUMN voided_at INTEGER;
DROP INDEX webhook_new;
CREATE INDEX webhook_new ON webhook (urgent DESC, id) WHERE kind IS NULL;

-- What a report says of the number, by the profile. `known`: the word is in the profile; a person may map the others.
ALTER TABLE report ADD COLUMN effect TEXT CHECK (effect = 'opted_out' OR effect = 'permanent' OR effect = 'absent');
ALTER TABLE report ADD COLUMN known INTEGER NOT NULL DEFAULT 1;
UPDATE report SET known = 0 WHERE delivery IS NULL;
CREATE INDEX report_webhook ON report (webhook);
CREATE INDEX report_unknown ON report (word) WHERE known = 0;

CREATE TABLE word (
  letters     TEXT PRIMARY KEY,                                   -- as words are compared: letters only, in lower case
  word        TEXT NOT NULL,                                      -- as the person typed it
  delivery    TEXT NOT NULL CHECK (delivery IN ('pending', 'undelivered', 'delivered')),
  at          INTEGER NOT NULL,
  by          TEXT NOT NULL
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
  received_at INTEGER NOT NULL,
  detail      TEXT NOT NULL,                                      -- JSON: the record's other fields (media, addresses)
  wish        TEXT CHECK (wish = 'stop' OR wish = 'start'),
  campaign    INTEGER,                                            -- the last one that wrote to the number before
  seq         INTEGER,
  voided_at   INTEGER
) STRICT;
CREATE INDEX reply_mobile ON reply (mobile);
CREATE INDEX reply_campaign ON reply (campaign, id) WHERE campaign IS NOT NULL;
CREATE INDEX reply_webhook ON reply (webhook);

-- What people and operators asked for, and what was learned: never changed, never deleted. `opt_out` follows from it and
-- from `failure`.
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
INSERT INTO opt_out_event (at, mobile, sender, change, source, by)
SELECT at, mobile, '', 'added', source, 'operator' FROM opt_out;

-- Who must not be sent promotional messages now, for the claim to look up.
CREATE TABLE opt_out_now (
  mobile      TEXT NOT NULL,
  sender      TEXT NOT NULL,
  source      TEXT NOT NULL,
  at          INTEGER NOT NULL,
  evidence    TEXT,
  PRIMARY KEY (mobile, sender)
) STRICT, WITHOUT ROWID;
INSERT INTO opt_out_now (mobile, sender, source, at) SELECT mobile, '', source, at FROM opt_out;
DROP TABLE opt_out;
ALTER TABLE opt_out_now RENAME TO opt_out;

-- Messages whose delivery speaks against the number. What is learned is worked out from these, so it can be undone.
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

-- `webhooks void` only: what a report alone had made sent is uncertain again when that report is taken back.
INSERT INTO transition VALUES ('sent', 'uncertain', 'operator');
CREATE TRIGGER message_taken_back BEFORE UPDATE OF state ON message
WHEN OLD.state = 'sent' AND NEW.state = 'uncertain' AND NEW.actor = 'operator' AND OLD.basis IS NOT 'report'
BEGIN SELECT RAISE (ABORT, 'only a report can be taken back'); END;
