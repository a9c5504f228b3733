-- name: pause
-- ?1 campaign bigint, ?2 reason text
UPDATE campaign SET state = 'paused', reason = ?2 WHERE n = ?1 AND state = 'running';

-- name: pause_by_operator
-- ?1 campaign bigint
-- A pause that would end by itself becomes the operator's. A pause that waits for a person keeps its reason,
-- because the reason tells the person what to do.
UPDATE campaign SET state = 'paused', reason = 'operator', awaits_start = iif(state = 'scheduled', 1, 0)
WHERE n = ?1 AND (
  state IN ('running', 'scheduled')
  OR reason IN ('window', 'balance')
  OR (reason = 'canary' AND EXISTS (SELECT 1 FROM canary WHERE campaign = ?1 AND verdict IS NULL))
);

-- name: resume
-- ?1 campaign bigint, ?2 sender text, ?3 now bigint
-- A recurring job never runs itself. One that was paused before its start waits for it, or has missed it.
UPDATE campaign
SET (state, reason) = (
    SELECT CASE WHEN recurs OR before THEN 'scheduled' WHEN late THEN 'paused' ELSE 'running' END,
      iif(late AND NOT recurs, 'start', NULL)
    FROM (
      SELECT n IN (SELECT campaign FROM schedule) AS recurs, awaits_start = 1 AND start_at > ?3 AS before,
        awaits_start = 1 AND ?3 - start_at > start_deadline AS late
    ) AS plan
  ),
  awaits_start = 0, sender = coalesce(?2, sender)
WHERE n = ?1;

-- name: keep_sender
-- ?1 campaign bigint, ?2 now bigint, ?3 sender text
-- Reports still come for messages under the earlier sender.
INSERT INTO former_sender (campaign, until, sender)
SELECT n, ?2, sender FROM campaign WHERE n = ?1 AND sender <> ?3
ON CONFLICT DO NOTHING;

-- name: raise_budget
-- ?1 campaign bigint, ?2 budget bigint
UPDATE campaign SET budget = ?2 WHERE n = ?1 AND budget < ?2 AND state <> 'canceled';

-- name: cancel
-- ?1 campaign bigint, ?2 canceled_at bigint
UPDATE campaign SET state = 'canceled', reason = NULL, canceled_at = ?2 WHERE n = ?1;

-- name: end_schedule
-- ?1 campaign bigint
-- The messages copied for a firing are an abandoned draft now.
UPDATE schedule SET next_at = NULL, building = NULL WHERE campaign = ?1;

-- name: is_settled
-- ?1 campaign bigint
SELECT settled FROM campaign_settled WHERE campaign = ?1;

-- name: cancel_messages
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 now bigint
-- counted: returned
UPDATE message SET state = 'canceled', actor = 'operator', reason = NULL, settled_at = ?4
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'queued'
RETURNING seq;

-- name: halted
-- ?1 campaigns text (JSON)
SELECT n FROM campaign WHERE state <> 'running' AND n IN (SELECT CAST(value AS bigint) FROM json_each(?1));

-- name: unfinished_cancels
-- Canceled campaigns that still have queued messages, because the process that canceled them died.
SELECT n FROM campaign AS c
WHERE c.state = 'canceled' AND EXISTS (
  SELECT 1
  FROM batch AS b JOIN message AS m ON m.campaign = b.campaign AND m.seq BETWEEN b.first_seq AND b.last_seq
  WHERE b.campaign = c.n AND b.settled_at IS NULL AND m.state = 'queued'
);

-- name: set_rate
-- ?1 campaign bigint, ?2 rate float8, ?3 moved float8
-- Taken slots may have been late by the slack, and at another rate the next one is not due early for that.
UPDATE campaign
SET rate = ?2, next_slot = next_slot + slot_slack + ?3, slot_slack = 0
WHERE n = ?1;

-- name: due_starts
-- ?1 now bigint
-- A recurring job never runs itself: each of its firings is a campaign of its own.
SELECT n, start_at, start_deadline
FROM campaign
WHERE state = 'scheduled' AND start_at <= ?1 AND n NOT IN (SELECT campaign FROM schedule)
ORDER BY start_at;

-- name: start
-- ?1 campaign bigint, ?2 state text, ?3 reason text
UPDATE campaign SET state = ?2, reason = ?3 WHERE n = ?1;
