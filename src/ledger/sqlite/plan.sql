-- name: create_draft
-- ?1 id, ?2 name, ?3 kind, ?4 sender, ?5 template, ?6 settings, ?7 rate, ?8 hash_job, ?9 hash_template, ?10 hash_contacts,
-- ?11 created_at
INSERT INTO campaign
  (id, name, kind, state, sender, template, settings, rate, hash_job, hash_template, hash_contacts, created_at)
VALUES (?1, ?2, ?3, 'draft', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11);

-- name: add_message
-- In order: campaign, seq, line, mobile, key, occurrence, fields, segments, queued_at, text_hash.
INSERT INTO message
  (campaign, seq, line, mobile, key, occurrence, fields, segments, state, actor, queued_at, text_hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'queued', 'planner', ?, ?);

-- name: last_batch
-- ?1 campaign
SELECT id, first_seq, last_seq FROM batch WHERE campaign = ?1 ORDER BY first_seq DESC LIMIT 1;

-- name: grow_batch
-- ?1 batch, ?2 last_seq
UPDATE batch SET last_seq = ?2 WHERE id = ?1;

-- name: add_batch
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 due_at
INSERT INTO batch (campaign, first_seq, last_seq, due_at) VALUES (?1, ?2, ?3, ?4);

-- name: open_named
-- ?1 name
SELECT c.*
FROM campaign AS c JOIN campaign_settled AS s ON s.campaign = c.n
WHERE c.name = ?1 AND c.state IN ('scheduled', 'running', 'paused')
  AND (NOT s.settled OR c.n IN (SELECT campaign FROM applying))
ORDER BY c.n DESC
LIMIT 1;

-- name: launched_since
-- ?1 draft, ?2 audit row: a campaign of the same files that did not exist when this launch looked.
SELECT c.*
FROM campaign AS d
JOIN campaign AS c ON c.name = d.name AND c.hash_job = d.hash_job AND c.hash_template = d.hash_template
  AND c.hash_contacts = d.hash_contacts
JOIN audit AS a ON a.campaign = c.n AND a.verb = 'launch' AND a.id > ?2
WHERE d.n = ?1
ORDER BY c.n DESC
LIMIT 1;

-- name: reminded_since
-- ?1 draft: another campaign of its name that sent since the draft was begun, which its plan does not know of.
-- ?2 now_and_more: a later time comes from a clock that was ahead, and says nothing of this plan.
-- ?3 audit row: or a message of it was called not sent since this launch looked, and this launch had skipped it.
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
-- ?1 client_id
INSERT INTO account (client_id) VALUES (?1) ON CONFLICT DO NOTHING;

-- name: activate
-- ?1 campaign, ?2 state, ?3 account, ?4 budget, ?5 estimated, ?6 start_at, ?7 start_deadline, ?8 activated_at, ?9 price
UPDATE campaign
SET state = ?2, account = ?3, budget = ?4, estimated = coalesce(?5, estimated), start_at = ?6, start_deadline = ?7, activated_at = ?8,
  price = coalesce(?9, price)
WHERE n = ?1 AND state = 'draft';

-- name: add_upload
-- ?1 campaign, ?2 at, ?3 read, ?4 planned, ?5 unchanged, ?6 duplicate, ?7 invalid, ?8 suppressed
INSERT INTO upload (campaign, number, at, read, planned, unchanged, duplicate, invalid, suppressed)
SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM upload WHERE campaign = ?1;

-- name: add_schedule
-- ?1 campaign, ?2 next_at
INSERT INTO schedule (campaign, next_at) VALUES (?1, ?2);

-- name: is_applied
-- ?1 draft
-- An accepted upload and a firing under way look like drafts, and must not be discarded.
SELECT 1 FROM applying WHERE draft = ?1 UNION ALL SELECT 1 FROM schedule WHERE building = ?1;

-- name: discard_staged
-- ?1 draft, ?2 count
DELETE FROM staged WHERE draft = ?1 AND (not_before, line) <= (
  SELECT not_before, line FROM (
    SELECT not_before, line FROM staged WHERE draft = ?1 ORDER BY not_before, line LIMIT ?2
  ) ORDER BY not_before DESC, line DESC LIMIT 1
);

-- name: discard_messages
-- ?1 campaign, ?2 count
DELETE FROM message
WHERE campaign = ?1 AND seq < (SELECT min(seq) + ?2 FROM message WHERE campaign = ?1);

-- name: discard_batches
-- ?1 campaign
DELETE FROM batch WHERE campaign = ?1;

-- name: discard_campaign
-- ?1 campaign
DELETE FROM campaign WHERE n = ?1 AND state = 'draft';
