-- What guards a campaign and the people it writes to: the canary; the same text twice, and too many in a span.

-- The first messages, which go alone. The others' batches are not leased while the verdict is missing or `failed`.
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

-- Every word that a network ever gave for a failure, and the campaign that met it first.
CREATE TABLE failure_word (
  word        TEXT PRIMARY KEY,
  campaign    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO failure_word
SELECT delivery_reason, min(campaign) FROM message
WHERE delivery = 'undelivered' AND delivery_reason IS NOT NULL
GROUP BY delivery_reason;
CREATE TRIGGER failure_word_met AFTER UPDATE OF delivery_reason ON message
WHEN NEW.delivery = 'undelivered' AND NEW.delivery_reason IS NOT NULL
BEGIN INSERT INTO failure_word (word, campaign) VALUES (NEW.delivery_reason, NEW.campaign) ON CONFLICT DO NOTHING; END;

-- 53 bits of the rendered text; null: planned before this was kept, never the same as anything.
ALTER TABLE message ADD COLUMN text_hash INTEGER;
ALTER TABLE staged ADD COLUMN text_hash INTEGER;

-- Which campaigns may have written to somebody in a span, so that a claim looks at few.
ALTER TABLE campaign ADD COLUMN last_claim_at INTEGER;
UPDATE campaign SET last_claim_at = (SELECT max(claimed_at) FROM message WHERE message.campaign = n)
WHERE first_claim_at IS NOT NULL;
CREATE INDEX campaign_claimed ON campaign (last_claim_at) WHERE last_claim_at IS NOT NULL;
