-- name: stage
-- ?1 draft bigint, ?2 not_before bigint, ?3 line bigint, ?4 mobile text, ?5 key text, ?6 occurrence text, ?7 about text, ?8 fields text, ?9 segments bigint, ?10 not_after bigint,
-- ?11 skip text, ?12 text_hash bigint, ?13 others text: a JSON array
INSERT INTO staged
  (draft, not_before, line, mobile, key, occurrence, about, fields, segments, not_after, skip, text_hash, others)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13);

-- name: stage_number
-- ?1 draft bigint, ?2 mobile text, ?3 key text, ?4 about text, ?5 line bigint
INSERT INTO staged_number (draft, mobile, key, about, line) VALUES (?1, ?2, ?3, ?4, ?5);

-- name: kept_line
-- ?1 draft bigint, ?2 mobile text, ?3 key text, ?4 about text
-- The row that has this number already, as its own or as another of its person.
SELECT line FROM staged WHERE draft = ?1 AND mobile = ?2 AND key = ?3 AND about = ?4
UNION ALL
SELECT line FROM staged_number WHERE draft = ?1 AND mobile = ?2 AND key = ?3 AND about = ?4;

-- name: staged_after
-- ?1 draft bigint, ?2 after_moment bigint, ?3 after_line bigint, ?4 limit bigint
SELECT not_before, line, mobile, key, occurrence, fields, segments, not_after, skip, text_hash, others
FROM staged
WHERE draft = ?1 AND (not_before, line) > (?2, ?3)
ORDER BY not_before, line
LIMIT ?4;

-- name: unstage
-- ?1 draft bigint, ?2 to_moment bigint, ?3 to_line bigint
DELETE FROM staged WHERE draft = ?1 AND (not_before, line) <= (?2, ?3);

-- name: discard_staged
-- ?1 draft bigint, ?2 count bigint
DELETE FROM staged WHERE draft = ?1 AND (not_before, line) <= (
  SELECT not_before, line FROM (
    SELECT not_before, line FROM staged WHERE draft = ?1 ORDER BY not_before, line LIMIT ?2
  ) AS first ORDER BY not_before DESC, line DESC LIMIT 1
);

-- name: add_reminder
-- ?1 campaign bigint, ?2 seq bigint, ?3 line bigint, ?4 mobile text, ?5 key text, ?6 occurrence text, ?7 fields text, ?8 segments bigint, ?9 queued_at bigint, ?10 not_before bigint,
-- ?11 not_after bigint, ?12 text_hash bigint
INSERT INTO message (campaign, seq, line, mobile, key, occurrence, fields, segments, state, actor, queued_at,
  not_before, not_after, text_hash)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'queued', 'planner', ?9, ?10, ?11, ?12);

-- name: skip
-- ?1 campaign bigint, ?2 seq bigint, ?3 reason text, ?4 now bigint
-- counted: seq
UPDATE message SET state = 'skipped', actor = 'planner', reason = ?3, settled_at = ?4
WHERE campaign = ?1 AND seq = ?2 AND state = 'queued';

-- name: add_batch
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 due_at bigint
INSERT INTO batch (campaign, first_seq, last_seq, due_at) VALUES (?1, ?2, ?3, ?4)
RETURNING id;

-- name: of_person
-- ?1 campaign bigint, ?2 mobile text, ?3 key text, ?4 numbers text: a JSON array, the mobile among them
-- undecided: its fate is unknown, or only reports or a mapping made it sent, and these may be taken back.
-- own: it is to this very number. The others are to another number of the person.
SELECT m.seq, m.mobile, m.state, m.reason, m.occurrence, m.not_before AS "dueAt", m.mobile = ?2 AS own,
  m.state = 'uncertain' OR coalesce(m.basis IN ('report', 'mapping'), FALSE) AS undecided
FROM json_each(?4) AS n CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = ?1 AND m.mobile = n.value AND m.key = ?3;

-- name: is_canceled_person
-- ?1 campaign bigint, ?2 numbers text: a JSON array, ?3 key text, ?4 occurrence text
SELECT 1 FROM canceled_person
WHERE campaign = ?1 AND (mobile IS NULL OR mobile IN (SELECT value FROM json_each(?2))) AND (key IS NULL OR key = ?3) AND (occurrence IS NULL OR occurrence = ?4);

-- name: elsewhere
-- ?1 name text, ?2 numbers text: a JSON array, ?3 key text, ?4 occurrence text, ?5 keyed bigint, ?6 except bigint, ?7 now bigint, ?8 since bigint
-- The messages of other campaigns of the name that were sent, may have been, or are queued: few, with one
-- index look-up each. past: a message that still waits after its day, and so does not count; it comes last.
-- A lost message left at the latest when the loss was accepted, as in the view message_left.
SELECT m.campaign, m.seq, m.state = 'queued' AND m.not_after <= ?7 AS past
FROM campaign AS c INDEXED BY campaign_name CROSS JOIN json_each(?2) AS n
CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = c.n AND m.mobile = n.value AND m.key = ?3
WHERE c.name = ?1 AND c.n IS DISTINCT FROM ?6 AND c.state <> 'draft'
  AND m.occurrence <> '' AND (?5 = 1 OR m.occurrence = ?4)
  AND CASE
    WHEN m.state IN ('sent', 'sending', 'uncertain') THEN CASE WHEN m.lost <> 0 THEN m.lost ELSE m.claimed_at END > ?8
    ELSE m.state = 'queued' AND c.state <> 'canceled'
  END
ORDER BY past, m.campaign, m.seq;

-- name: count_open
-- ?1 campaign bigint
SELECT count(*) AS open
FROM batch AS b JOIN message AS m ON m.campaign = b.campaign AND m.seq BETWEEN b.first_seq AND b.last_seq
WHERE b.campaign = ?1 AND b.settled_at IS NULL AND m.state = 'queued';
