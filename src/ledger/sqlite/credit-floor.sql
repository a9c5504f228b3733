-- name: doubtful
-- ?1 now
-- What an older ledger would send again: begun campaigns of which something is left, recurring jobs that are due.
SELECT id, name
FROM campaign
WHERE state IN ('running', 'paused', 'scheduled') AND (
  n IN (SELECT campaign FROM schedule WHERE next_at <= ?1)
  OR (
    coalesce(start_at, 0) <= ?1 AND n NOT IN (SELECT campaign FROM schedule)
    AND EXISTS (SELECT 1 FROM batch WHERE batch.campaign = n AND settled_at IS NULL)
  )
)
ORDER BY n;

-- name: last_quiet
-- ?1 account, ?2 before
SELECT at, begun_at AS begunAt, credit AS creditMicro, spent AS spentMicro
FROM reading WHERE account = ?1 AND quiet = 1 AND at <= ?2
ORDER BY at DESC, id DESC LIMIT 1;

-- name: books
-- ?1 account
SELECT spent, assumed, reserved FROM account WHERE client_id = ?1;

-- name: prices
-- ?1 account
SELECT min(cost) AS least, max(cost * 1.0 / segments) AS segment FROM price WHERE account = ?1 AND cost > 0;

-- name: uncertain
-- ?1 account, ?2 since, ?3 segment_price
-- What is held back no more and may have been charged: since the reading, and what of it ever was assumed.
SELECT
  total(max(m.counted, m.segments * ?3)) FILTER (WHERE m.settled_at >= ?2) AS since,
  total(m.counted) AS assumed
FROM message AS m INDEXED BY message_uncertain JOIN campaign AS c ON c.n = m.campaign
WHERE m.state = 'uncertain' AND m.reserved = 0 AND c.account = ?1;

-- name: shared_since
-- ?1 account
SELECT min(at) AS at FROM audit WHERE verb = 'accept-credit' AND detail ->> '$.account' = ?1;
