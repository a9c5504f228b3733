-- name: contradicted
-- ?1 campaign bigint
-- A waiting report says that these were sent. A step looks once.
SELECT json_group_array(DISTINCT seq) AS seqs FROM contradiction WHERE campaign = ?1;

-- name: named_uncertain
-- ?1 campaign bigint
-- Uncertain messages whose number a waiting report names, as in `contradiction`. It decides none, because it fits
-- several, or nobody knows its word.
SELECT DISTINCT m.seq
FROM report AS r INDEXED BY report_unjoined CROSS JOIN message AS m INDEXED BY message_uncertain ON m.mobile = r.mobile
WHERE r.joined <> 'joined' AND r.joined = 'waiting' AND m.state = 'uncertain' AND m.campaign = ?1 AND (
  r.received_at BETWEEN m.claimed_at AND m.claimed_at + 259200000
  OR EXISTS (
    SELECT 1 FROM attempt AS a
    WHERE a.campaign = m.campaign AND a.seq = m.seq AND r.received_at BETWEEN a.claimed_at AND a.claimed_at + 259200000
  )
);

-- name: retryable
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 reason text, ?5 contradicted text: JSON, ?6 answered_before bigint
-- A person's mapping may be wrong, so a report gets time to contradict it.
SELECT seq
FROM message
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'rejected' AND CASE WHEN ?4 IS NULL THEN retry_helps = 1 ELSE reason = ?4 END
  AND seq NOT IN (SELECT CAST(value AS bigint) FROM json_each(?5)) AND NOT EXISTS (
    SELECT 1 FROM evidence AS e
    WHERE e.campaign = message.campaign AND e.seq = message.seq AND e.attempt = message.attempt AND e.mapped = 1 AND e.at >= ?6
  )
  AND NOT EXISTS (SELECT 1 FROM message_of_canceled AS c WHERE c.campaign = message.campaign AND c.seq = message.seq)
ORDER BY seq;

-- name: keep_attempt
-- ?1 campaign bigint, ?2 seq bigint
-- An attempt whose mapping was taken back, or that was queued again since, is kept already.
INSERT INTO attempt (campaign, seq, number, lost, claimed_at, settled_at, outcome, reason, send_ms)
SELECT campaign, seq, attempt, lost, claimed_at, settled_at, state, reason, send_ms
FROM message WHERE campaign = ?1 AND seq = ?2
ON CONFLICT DO NOTHING;

-- name: retry_rejected
-- ?1 campaign bigint, ?2 seq bigint
-- counted: seq
UPDATE message
SET state = 'queued', actor = 'operator', reason = NULL, retry_helps = 0, tries = 0, worker = NULL, not_before = 0,
  claimed_at = NULL, settled_at = NULL, send_ms = NULL
WHERE campaign = ?1 AND seq = ?2 AND state = 'rejected';

-- name: skip_expired_copies
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 now bigint, ?5 name text
-- counted: returned
-- A reminder that waits in another campaign after its day is useless, so it must not block the same one here.
UPDATE message SET state = 'skipped', actor = 'planner', reason = 'moment past', settled_at = ?4
WHERE state = 'queued' AND not_after <= ?4 AND (campaign, seq) IN (
  SELECT i.campaign, i.seq
  FROM message AS b CROSS JOIN campaign AS c INDEXED BY campaign_name
  CROSS JOIN message AS i INDEXED BY message_identity ON i.campaign = c.n AND i.mobile = b.mobile AND i.key = b.key
  WHERE b.campaign = ?1 AND b.seq BETWEEN ?2 AND ?3 AND b.state = 'queued' AND b.actor = 'operator'
    AND c.name = ?5 AND c.n <> ?1 AND c.state NOT IN ('draft', 'canceled')
)
RETURNING campaign, seq;

-- name: skip_reminded
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 now bigint, ?5 name text, ?6 keyed bigint, ?7 rejected bigint: whether refused ones are put back too
-- counted: returned
-- Skips a reminder that another message makes needless: in a newer campaign of the name, in an older one
-- since this launch, or in this one under another date. Older messages do not count, because `launch --again`
-- reminds anew. Of two rejected dates the last named one is sent. A lost message may have been sent until the
-- loss was accepted.
UPDATE message SET state = 'skipped', actor = 'planner', reason = 'already reminded', settled_at = ?4
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'queued' AND EXISTS (
  SELECT 1
  FROM campaign AS c INDEXED BY campaign_name
  CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = c.n AND m.mobile = message.mobile AND m.key = message.key
  WHERE c.name = ?5 AND c.state <> 'draft' AND (c.n <> ?1 OR m.seq <> message.seq)
    AND m.occurrence <> '' AND (?6 = 1 OR m.occurrence = message.occurrence)
    AND CASE
      WHEN m.state IN ('sent', 'sending', 'uncertain')
      THEN c.n >= ?1 OR CASE WHEN m.lost <> 0 THEN m.lost ELSE m.claimed_at END > (SELECT activated_at FROM campaign WHERE n = ?1)
      WHEN m.state = 'rejected' THEN ?7 = 1 AND c.n = ?1 AND m.left_out = 0 AND (message.left_out = 1 OR (m.queued_at, m.seq) > (message.queued_at, message.seq))
      ELSE m.state = 'queued' AND c.state <> 'canceled'
    END
)
RETURNING seq;

-- name: requeued
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint
SELECT seq FROM message
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'queued' AND actor = 'operator';

-- name: cancel_forgotten
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 now bigint, ?5 keyed bigint
-- counted: returned
-- The last upload omitted these or gave them another date (uploads.sql, forget_rejected).
UPDATE message SET state = 'canceled', actor = 'planner', settled_at = ?4, reason = iif(
    ?5 = 1 AND EXISTS (
      SELECT 1 FROM message AS i
      WHERE i.campaign = ?1 AND i.mobile = message.mobile AND i.key = message.key AND i.seq <> message.seq
    ), 'moved', 'no longer in the contacts')
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'queued' AND left_out = 1
RETURNING seq;

-- name: uncertain_after
-- ?1 campaign bigint, ?2 after_seq bigint, ?3 line bigint, ?4 mobile text, ?5 count bigint
-- A written-off message is decided only when it is named.
SELECT seq, settled_at, reserved, counted
FROM message INDEXED BY message_uncertain
WHERE state = 'uncertain' AND campaign = ?1 AND seq > ?2
  AND (?3 IS NULL OR line = ?3) AND (?4 IS NULL OR mobile = ?4)
  AND (written_off = 0 OR ?3 IS NOT NULL OR ?4 IS NOT NULL)
ORDER BY seq
LIMIT ?5;

-- name: call_sent
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint
-- counted: seq
UPDATE message
SET state = 'sent', actor = 'operator', reason = NULL, reserved = 0, settled_at = ?3, basis = 'operator',
  delivery = 'pending', written_off = 0
WHERE campaign = ?1 AND seq = ?2 AND state = 'uncertain';

-- name: call_not_sent
-- ?1 campaign bigint, ?2 seq bigint
-- counted: seq
UPDATE message
SET state = 'queued', actor = 'operator', reason = NULL, worker = NULL, lost = 0, reserved = 0, counted = 0, tries = 0,
  not_before = 0, claimed_at = NULL, settled_at = NULL, send_ms = NULL, written_off = 0
WHERE campaign = ?1 AND seq = ?2 AND state = 'uncertain';

-- name: moved_to
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint
-- The date that the last upload gave this reminder. It was skipped, because this date may have been sent.
SELECT m.seq, m.not_before AS "notBefore"
FROM message AS a CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = ?1 AND m.mobile = a.mobile AND m.key = a.key
WHERE a.campaign = ?1 AND a.seq = ?2
  AND m.state = 'skipped' AND m.reason = 'already reminded' AND m.not_after > ?3
  AND m.left_out = 0 AND m.queued_at >= (SELECT max(at) FROM upload WHERE campaign = ?1);

-- name: bring_back
-- ?1 campaign bigint, ?2 seq bigint
-- counted: seq
UPDATE message SET state = 'queued', actor = 'operator', reason = NULL, settled_at = NULL WHERE campaign = ?1 AND seq = ?2;

-- name: cancel_moved
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint
-- counted: seq
UPDATE message SET state = 'canceled', actor = 'planner', reason = 'moved', settled_at = ?3 WHERE campaign = ?1 AND seq = ?2;

-- name: is_queued
-- ?1 campaign bigint, ?2 seq bigint
-- It is not where the person was canceled by hand.
SELECT 1 AS queued FROM message WHERE campaign = ?1 AND seq = ?2 AND state = 'queued';

-- name: write_off
-- ?1 campaign bigint, ?2 seq bigint
-- counted: seq
UPDATE message SET written_off = 1 WHERE campaign = ?1 AND seq = ?2 AND state = 'uncertain';

-- name: run_again
-- ?1 campaign bigint
-- A finished campaign may still be paused by its last verdicts, so it runs again.
UPDATE campaign SET state = 'running', reason = NULL
WHERE n = ?1 AND state = 'paused' AND (SELECT settled FROM campaign_settled WHERE campaign = ?1);
