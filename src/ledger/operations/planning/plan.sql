-- name: create_draft
-- ?1 id text, ?2 name text, ?3 kind text, ?4 sender text, ?5 template text, ?6 settings text, ?7 rate float8, ?8 hash_job text, ?9 hash_template text, ?10 hash_contacts text,
-- ?11 created_at bigint
INSERT INTO campaign
  (id, name, kind, state, sender, template, settings, rate, hash_job, hash_template, hash_contacts, created_at)
VALUES (?1, ?2, ?3, 'draft', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
RETURNING n;

-- name: line_of
-- ?1 campaign bigint, ?2 mobile text, ?3 key text, ?4 occurrence text
SELECT line FROM message WHERE campaign = ?1 AND mobile = ?2 AND key = ?3 AND occurrence = ?4;

-- name: add_message
-- ?1 campaign bigint, ?2 seq bigint, ?3 line bigint, ?4 mobile text, ?5 key text, ?6 occurrence text, ?7 fields text, ?8 segments bigint,
-- ?9 queued_at bigint, ?10 text_hash bigint
INSERT INTO message
  (campaign, seq, line, mobile, key, occurrence, fields, segments, state, actor, queued_at, text_hash)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'queued', 'planner', ?9, ?10)
ON CONFLICT (campaign, mobile, key, occurrence) DO NOTHING;

-- name: take_back
-- ?1 campaign bigint, ?2 after_seq bigint
DELETE FROM message WHERE campaign = ?1 AND seq > ?2;

-- name: last_batch
-- ?1 campaign bigint
SELECT id, first_seq, last_seq FROM batch WHERE campaign = ?1 ORDER BY first_seq DESC LIMIT 1;

-- name: grow_batch
-- ?1 batch bigint, ?2 last_seq bigint
UPDATE batch SET last_seq = ?2 WHERE id = ?1;

-- name: add_batch
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 due_at bigint
INSERT INTO batch (campaign, first_seq, last_seq, due_at) VALUES (?1, ?2, ?3, ?4);

-- name: open_named
-- ?1 name text
SELECT c.*
FROM campaign AS c JOIN campaign_settled AS s ON s.campaign = c.n
WHERE c.name = ?1 AND c.state IN ('scheduled', 'running', 'paused') AND NOT s.settled
ORDER BY c.n DESC
LIMIT 1;

-- name: launched_since
-- ?1 draft bigint, ?2 audit row bigint: a campaign of the same files that did not exist when this launch looked.
SELECT c.*
FROM campaign AS d
JOIN campaign AS c ON c.name = d.name AND c.hash_job = d.hash_job AND c.hash_template = d.hash_template
  AND c.hash_contacts = d.hash_contacts
JOIN audit AS a ON a.campaign = c.n AND a.verb = 'launch' AND a.id > ?2
WHERE d.n = ?1
ORDER BY c.n DESC
LIMIT 1;

-- name: reminded_since
-- ?1 draft bigint: another campaign of its name that sent since the draft was begun, which its plan does not know of.
-- ?2 now_and_more bigint: a later time comes from a clock that was ahead, and says nothing of this plan.
-- ?3 audit row bigint: or a message of it was called not sent since this launch looked, and this launch had skipped it.
SELECT c.id, c.name
FROM campaign AS d JOIN campaign AS c ON c.name = d.name AND c.n <> d.n
WHERE d.n = ?1 AND (
  (c.last_claim_at > d.created_at AND c.last_claim_at < ?2)
  OR EXISTS (
    SELECT 1 FROM audit AS a
    WHERE a.id > ?3 AND a.campaign = c.n AND a.verb = 'resolve' AND a.detail ->> '$.decision' = 'not_sent'
  )
)
LIMIT 1;

-- name: add_account
-- ?1 client_id text
INSERT INTO account (client_id) VALUES (?1) ON CONFLICT DO NOTHING;

-- name: activate
-- ?1 campaign bigint, ?2 state text, ?3 account text, ?4 budget bigint, ?5 estimated bigint, ?6 start_at bigint, ?7 start_deadline bigint, ?8 activated_at bigint, ?9 price bigint
UPDATE campaign
SET state = ?2, account = ?3, budget = ?4, estimated = coalesce(?5, estimated), start_at = ?6, start_deadline = ?7, activated_at = ?8,
  price = coalesce(?9, price)
WHERE n = ?1 AND state = 'draft';

-- name: add_schedule
-- ?1 campaign bigint, ?2 next_at bigint
INSERT INTO schedule (campaign, next_at) VALUES (?1, ?2);

-- name: is_applied
-- ?1 draft bigint
-- An accepted upload and a firing under way look like drafts, and must not be discarded.
SELECT 1 FROM applying WHERE draft = ?1 UNION ALL SELECT 1 FROM schedule WHERE building = ?1;

-- name: discard_messages
-- ?1 campaign bigint, ?2 count bigint
DELETE FROM message
WHERE campaign = ?1 AND seq < (SELECT min(seq) + ?2 FROM message WHERE campaign = ?1);

-- name: discard_batches
-- ?1 campaign bigint
DELETE FROM batch WHERE campaign = ?1;
