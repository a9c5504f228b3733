-- name: open_campaign
-- ?1 campaign bigint, ?2 contacts text, ?3 audit row bigint: and nobody has put its messages back since the comparison.
SELECT c.n
FROM campaign AS c JOIN campaign_settled AS s ON s.campaign = c.n
WHERE c.n = ?1 AND c.hash_contacts = ?2 AND c.state IN ('scheduled', 'running', 'paused') AND NOT s.settled
  AND NOT EXISTS (SELECT 1 FROM applying WHERE applying.campaign = c.n)
  AND NOT EXISTS (
    SELECT 1 FROM audit AS a
    WHERE a.id > ?3 AND a.campaign = c.n
      AND (a.verb = 'retry' OR (a.verb = 'resolve' AND a.detail ->> '$.decision' = 'not_sent'))
  );

-- name: accept
-- ?1 campaign bigint, ?2 draft bigint, ?3 estimated bigint
UPDATE campaign
SET hash_contacts = (SELECT hash_contacts FROM campaign WHERE n = ?2), estimated = estimated + ?3
WHERE n = ?1;

-- name: begin
-- ?1 campaign bigint, ?2 draft bigint, ?3 upload bigint
INSERT INTO applying (campaign, draft, upload, phase) VALUES (?1, ?2, ?3, 'lay');

-- name: applying
-- accepted_at: the time of its rows, which distinguishes uploads even when the process's clock differs.
SELECT campaign, draft, upload, phase, after_moment, after_line, after_seq,
  (SELECT max(at) FROM upload WHERE upload.campaign = applying.campaign) AS accepted_at
FROM applying ORDER BY campaign;

-- name: on_the_wire
-- ?1 campaign bigint
-- CROSS JOIN keeps the order: few batches are leased, but a campaign may have a million messages.
SELECT 1
FROM hold AS h CROSS JOIN batch AS b ON b.id = h.batch
CROSS JOIN message AS m ON m.campaign = b.campaign AND m.seq BETWEEN b.first_seq AND b.last_seq
WHERE b.campaign = ?1 AND m.state = 'sending'
LIMIT 1;

-- name: refresh
-- ?1 campaign bigint, ?2 seq bigint, ?3 line bigint, ?4 fields text, ?5 segments bigint, ?6 not_before bigint, ?7 not_after bigint, ?8 text_hash bigint
-- counted: seq
-- The text may have been corrected, too. A moment delayed by a throttle stays delayed.
UPDATE message
SET line = ?3, fields = ?4, segments = ?5, not_after = ?7, text_hash = ?8,
  not_before = CASE tries WHEN 0 THEN ?6 ELSE max(?6, not_before) END
WHERE campaign = ?1 AND seq = ?2 AND state = 'queued'
  AND (line <> ?3 OR fields <> ?4 OR segments <> ?5 OR not_before <> ?6 OR not_after IS DISTINCT FROM ?7);

-- name: revive
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint
-- counted: seq
UPDATE message SET state = 'queued', actor = 'planner', reason = NULL, settled_at = NULL, queued_at = ?3, left_out = 0
WHERE campaign = ?1 AND seq = ?2 AND state IN ('canceled', 'skipped');

-- name: name_rejected
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint, ?4 line bigint, ?5 fields text, ?6 segments bigint, ?7 not_after bigint, ?8 text_hash bigint
-- counted: seq
-- A retry sends the content of the last upload.
UPDATE message SET queued_at = ?3, left_out = 0, line = ?4, fields = ?5, segments = ?6, not_after = ?7, text_hash = ?8
WHERE campaign = ?1 AND seq = ?2 AND state = 'rejected';

-- name: name_uncertain
-- ?1 campaign bigint, ?2 seq bigint
UPDATE message SET left_out = 0
WHERE campaign = ?1 AND seq = ?2 AND (state = 'uncertain' OR basis IN ('report', 'mapping')) AND left_out = 1;

-- name: forget_rejected
-- ?1 campaign bigint, ?2 seq bigint
-- No retry sends a message that the last upload omits or moves.
UPDATE message SET left_out = 1 WHERE campaign = ?1 AND seq = ?2 AND state = 'rejected' AND left_out = 0;

-- name: cancel_moved
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint
-- counted: seq
-- Also messages that an operator canceled since, because the list of unreached people must not hold them.
UPDATE message SET state = 'canceled', actor = 'planner', reason = 'moved', settled_at = ?3
WHERE campaign = ?1 AND seq = ?2 AND (state = 'queued' OR (state = 'canceled' AND reason IS NULL));

-- name: own_row
-- ?1 draft bigint, ?2 mobile text, ?3 key text, ?4 about text
SELECT 1 FROM staged WHERE draft = ?1 AND mobile = ?2 AND key = ?3 AND about = ?4;

-- name: cancel_new_date
-- ?1 campaign bigint, ?2 mobile text, ?3 key text, ?4 occurrence text
-- With a key, another date is the same reminder, and so it stays canceled.
INSERT INTO canceled_person (campaign, mobile, key, occurrence) VALUES (?1, ?2, ?3, ?4);

-- name: cancel_by_hand
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint
-- counted: seq
UPDATE message SET state = 'canceled', actor = 'operator', reason = 'canceled by hand', settled_at = ?3
WHERE campaign = ?1 AND seq = ?2 AND state = 'queued';

-- name: grow_upload
-- ?1 campaign bigint, ?2 upload bigint, ?3 planned bigint, ?4 unchanged bigint
UPDATE upload SET read = read + ?3 + ?4, planned = planned + ?3, unchanged = unchanged + ?4
WHERE campaign = ?1 AND number = ?2;

-- name: laid
-- ?1 campaign bigint, ?2 after_moment bigint, ?3 after_line bigint
UPDATE applying SET after_moment = ?2, after_line = ?3 WHERE campaign = ?1;

-- name: cancel_missing
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 draft bigint, ?5 keyed bigint, ?6 now bigint
-- counted: span
-- Also messages that an operator canceled, as in cancel_moved.
UPDATE message SET state = 'canceled', actor = 'planner', reason = 'no longer in the contacts', settled_at = ?6
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND (state = 'queued' OR (state = 'canceled' AND reason IS NULL)) AND NOT EXISTS (
  SELECT 1 FROM staged AS s
  WHERE s.draft = ?4 AND s.mobile = message.mobile AND s.key = message.key
    AND s.about = CASE WHEN ?5 = 1 THEN '' ELSE message.occurrence END
);

-- name: cancel_stopped
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 now bigint
-- counted: returned
-- Cancels rows that the upload added to a campaign that was canceled meanwhile.
UPDATE message SET state = 'canceled', actor = 'operator', reason = NULL, settled_at = ?4
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'queued'
RETURNING seq;

-- name: forget_missing
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 draft bigint, ?5 keyed bigint
-- A message that the last upload omitted is not sent when a person resolves it as not sent.
UPDATE message SET left_out = 1
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND (state IN ('rejected', 'uncertain') OR basis IN ('report', 'mapping')) AND left_out = 0 AND NOT EXISTS (
  SELECT 1 FROM staged AS s
  WHERE s.draft = ?4 AND s.mobile = message.mobile AND s.key = message.key
    AND s.about = CASE WHEN ?5 = 1 THEN '' ELSE message.occurrence END
);

-- name: looked
-- ?1 campaign bigint, ?2 phase text, ?3 after_seq bigint
UPDATE applying SET phase = ?2, after_seq = ?3 WHERE campaign = ?1;

-- name: laying
-- ?1 draft bigint
-- The first such upload from that draft on.
SELECT draft, after_moment AS moment, after_line AS line FROM applying
WHERE phase = 'lay' AND draft >= ?1 ORDER BY draft LIMIT 1;

-- name: due_staged
-- ?1 draft bigint, ?2 after_moment bigint, ?3 after_line bigint, ?4 now bigint, ?5 count bigint
-- The last row of the next step; no row: there is none.
SELECT not_before AS moment, line, count(*) OVER () AS count FROM (
  SELECT not_before, line FROM staged
  WHERE draft = ?1 AND (not_before, line) > (?2, ?3) AND not_before <= ?4
  ORDER BY not_before, line LIMIT ?5
) AS next ORDER BY not_before DESC, line DESC LIMIT 1;

-- name: skip_staged
-- ?1 draft bigint, ?2 after_moment bigint, ?3 after_line bigint, ?4 to_moment bigint, ?5 to_line bigint, ?6 now bigint
-- A queued message that the row moves to such a moment is too late by its own `not_after`.
UPDATE staged SET skip = coalesce(skip, 'an older ledger was put back'), not_after = min(not_after, ?6)
WHERE draft = ?1 AND (not_before, line) > (?2, ?3) AND (not_before, line) <= (?4, ?5);

-- name: finish
-- ?1 campaign bigint
DELETE FROM applying WHERE campaign = ?1;
