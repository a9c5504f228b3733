-- name: ahead
-- ?1 now_and_more
-- A sign of life from the future, or something else that was written then: the clock was ahead.
SELECT 1 WHERE EXISTS (SELECT 1 FROM worker WHERE heartbeat_at > ?1)
  OR (SELECT CAST(value AS INTEGER) FROM fact WHERE name = 'written_at') > ?1;

-- name: next_batch
-- ?1 after
SELECT b.id, b.campaign, b.first_seq, b.last_seq, coalesce(c.settings ->> '$.retry.mostMs', 0) AS most_ms
FROM batch AS b JOIN campaign AS c ON c.n = b.campaign
WHERE b.id > ?1 AND b.settled_at IS NULL
ORDER BY b.id
LIMIT 1;

-- name: free_messages
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 now, ?5 latest
-- Those that wait to be tried again, longer than any back-off. What was never tried waits for a moment of its own.
UPDATE message SET not_before = ?4
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'queued' AND not_before > ?5
  AND (attempt > 0 OR reason = 'network held');

-- name: bring_forward
-- ?1 batch, ?2 now
UPDATE batch SET due_at = min(due_at, max(?2, coalesce((
  SELECT min(not_before) FROM message
  WHERE message.campaign = batch.campaign AND seq BETWEEN first_seq AND last_seq AND state = 'queued'
), ?2)))
WHERE id = ?1;

-- name: shorten_leases
-- ?1 now
UPDATE batch SET lease_until = ?1 + lease_ms WHERE worker IS NOT NULL AND lease_until > ?1 + lease_ms;

-- name: age_launches
-- ?1 now, ?2 earlier
-- What was sent since the clock is right was sent after them, also in the moments until that was noticed.
UPDATE campaign SET created_at = min(created_at, ?2), activated_at = min(activated_at, ?2)
WHERE created_at > ?1 OR activated_at > ?1;

-- name: age_claims
-- ?1 now, ?2 earlier
-- Guards ask who claimed within their span: it would not be over until then. Still after the launches, for claims may have been.
UPDATE campaign SET last_claim_at = ?2 + 1 WHERE last_claim_at > ?1;

-- name: age_uncertain
-- ?1 now
-- Or a person could not decide them until then, and no balance reading would release what is held back for them.
UPDATE message SET settled_at = ?1 WHERE state = 'uncertain' AND settled_at > ?1;

-- name: age_canaries
-- ?1 now
-- Their reports would be waited for until then.
UPDATE message SET settled_at = ?1
FROM canary AS c
WHERE c.verdict IS NULL AND message.campaign = c.campaign AND message.seq <= c.messages AND message.settled_at > ?1;

-- name: age_workers
-- ?1 now
UPDATE worker SET heartbeat_at = ?1 WHERE heartbeat_at > ?1;

-- name: age_sign
-- ?1 now
UPDATE fact SET value = CAST(?1 AS INTEGER) WHERE name = 'written_at' AND CAST(value AS INTEGER) > ?1;
