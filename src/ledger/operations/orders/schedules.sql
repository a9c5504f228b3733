-- name: due_schedules
-- ?1 now bigint
SELECT c.*, s.next_at
FROM schedule AS s JOIN campaign AS c ON c.n = s.campaign
WHERE c.state = 'scheduled' AND s.next_at <= ?1
ORDER BY s.next_at;

-- name: overdue
-- ?1 now bigint, ?2 campaign bigint, or null for all
SELECT c.n, c.settings, s.next_at
FROM schedule AS s JOIN campaign AS c ON c.n = s.campaign
WHERE c.state IN ('scheduled', 'paused') AND s.next_at <= ?1 AND (?2 IS NULL OR c.n = ?2);

-- name: schedule
-- ?1 campaign bigint
SELECT s.next_at, s.building
FROM schedule AS s JOIN campaign AS c ON c.n = s.campaign
WHERE s.campaign = ?1 AND c.state = 'scheduled';

-- name: begin_firing
-- ?1 schedule bigint, ?2 id text, ?3 name text, ?4 settings text, ?5 now bigint
INSERT INTO campaign
  (id, name, kind, state, sender, template, settings, rate, hash_job, hash_template, hash_contacts, created_at)
SELECT ?2, ?3, kind, 'draft', sender, template, ?4, rate, hash_job, hash_template, hash_contacts, ?5
FROM campaign WHERE n = ?1
RETURNING n;

-- name: set_building
-- ?1 schedule bigint, ?2 building bigint
UPDATE schedule SET building = ?2 WHERE campaign = ?1;

-- name: rename_draft
-- ?1 campaign bigint, ?2 name text
-- The next firing may have overtaken an interrupted one, and then it takes over the copied messages.
UPDATE campaign SET name = ?2 WHERE n = ?1 AND state = 'draft';

-- name: copy_messages
-- ?1 schedule bigint, ?2 campaign bigint, ?3 count bigint, ?4 now bigint
INSERT INTO message
  (campaign, seq, line, mobile, key, occurrence, fields, segments, state, actor, queued_at, text_hash)
SELECT ?2, seq, line, mobile, key, occurrence, fields, segments, 'queued', 'planner', ?4, text_hash
FROM message
WHERE campaign = ?1 AND seq > (SELECT coalesce(max(seq), 0) FROM message WHERE campaign = ?2)
ORDER BY seq
LIMIT ?3;

-- name: copy_other_numbers
-- ?1 schedule bigint, ?2 campaign bigint, ?3 first_seq bigint, ?4 last_seq bigint
INSERT INTO other_number (campaign, mobile, key, occurrence, seq)
SELECT ?2, mobile, key, occurrence, seq FROM other_number WHERE campaign = ?1 AND seq BETWEEN ?3 AND ?4;

-- name: copy_batches
-- ?1 schedule bigint, ?2 campaign bigint, ?3 now bigint
INSERT INTO batch (campaign, first_seq, last_seq, due_at)
SELECT ?2, first_seq, last_seq, ?3 FROM batch WHERE campaign = ?1 ORDER BY first_seq;

-- name: copy_upload
-- ?1 schedule bigint, ?2 campaign bigint, ?3 now bigint
INSERT INTO upload (campaign, number, at, read, planned, unchanged, duplicate, invalid, suppressed)
SELECT ?2, number, ?3, read, planned, unchanged, duplicate, invalid, suppressed FROM upload WHERE campaign = ?1;

-- name: activate
-- ?1 schedule bigint, ?2 campaign bigint, ?3 start_at bigint, ?4 now bigint
UPDATE campaign
SET state = 'running', start_at = ?3, activated_at = ?4, account = s.account, budget = s.budget,
  estimated = s.estimated, price = s.price, start_deadline = s.start_deadline
FROM campaign AS s
WHERE campaign.n = ?2 AND campaign.state = 'draft' AND s.n = ?1;

-- name: hold
-- ?1 schedule bigint, ?2 next_at bigint
UPDATE campaign SET state = 'paused', reason = 'start'
WHERE n = ?1 AND state = 'scheduled' AND EXISTS (SELECT 1 FROM schedule WHERE campaign = ?1 AND next_at = ?2);

-- name: price_like
-- ?1 schedule bigint, ?2 campaign bigint, ?3 segments bigint
UPDATE campaign SET price = s.price, estimated = s.price * ?3
FROM campaign AS s
WHERE campaign.n = ?2 AND s.n = ?1;

-- name: add_firing
-- ?1 schedule bigint, ?2 at bigint, ?3 campaign bigint, ?4 now bigint
-- A firing by a clock that ran ahead is not missed when that time comes.
INSERT INTO firing (schedule, at, campaign, decided_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (schedule, at) DO NOTHING;

-- name: has_fired
-- ?1 schedule bigint, ?2 at bigint
-- One that a person left out is decided, too.
SELECT 1 FROM firing WHERE schedule = ?1 AND at = ?2 AND (campaign IS NOT NULL OR left_out = 1);

-- name: firing
-- ?1 schedule bigint, ?2 at bigint
SELECT f.left_out, c.id FROM firing AS f LEFT JOIN campaign AS c ON c.n = f.campaign WHERE f.schedule = ?1 AND f.at = ?2;

-- name: next_at
-- ?1 schedule bigint
SELECT next_at FROM schedule WHERE campaign = ?1;

-- name: leave_out
-- ?1 schedule bigint, ?2 at bigint, ?3 now bigint
INSERT INTO firing (schedule, at, campaign, left_out, decided_at) VALUES (?1, ?2, NULL, 1, ?3);

-- name: copy_canceled_people
-- ?1 schedule bigint, ?2 campaign bigint
INSERT INTO canceled_person (campaign, mobile, key, occurrence)
SELECT ?2, mobile, key, occurrence FROM canceled_person WHERE campaign = ?1;

-- name: cancel_people
-- ?1 campaign bigint, ?2 now bigint
-- counted: returned
-- The copy was begun before some of the orders.
UPDATE message SET state = 'canceled', actor = 'operator', reason = 'canceled by hand', settled_at = ?2
WHERE campaign = ?1 AND state = 'queued'
  AND EXISTS (SELECT 1 FROM message_of_canceled AS c WHERE c.campaign = ?1 AND c.seq = message.seq)
RETURNING seq;

-- name: decided_ahead
-- ?1 now bigint
-- Some of its firings were decided by a clock that ran ahead.
SELECT c.n, c.settings, s.next_at
FROM schedule AS s JOIN campaign AS c ON c.n = s.campaign
WHERE c.state IN ('scheduled', 'paused')
  AND EXISTS (SELECT 1 FROM firing AS f WHERE f.schedule = c.n AND f.decided_at > ?1);

-- name: bring_back
-- ?1 schedule bigint, ?2 next_at bigint
UPDATE schedule SET next_at = ?2 WHERE campaign = ?1;

-- name: forget_missed
-- ?1 schedule bigint, ?2 now bigint
DELETE FROM firing WHERE schedule = ?1 AND at > ?2 AND campaign IS NULL AND left_out = 0;

-- name: set_next
-- ?1 schedule bigint, ?2 next_at bigint
UPDATE schedule SET next_at = ?2, building = NULL WHERE campaign = ?1;

-- name: show_next
-- ?1 schedule bigint, ?2 next_at bigint
UPDATE campaign SET start_at = ?2 WHERE n = ?1;
