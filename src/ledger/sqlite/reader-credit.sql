-- name: doubtful
-- ?1 now
SELECT id, name, account
FROM campaign
WHERE state IN ('running', 'paused', 'scheduled') AND (
  n IN (SELECT campaign FROM schedule WHERE next_at <= ?1)
  OR (
    coalesce(start_at, 0) <= ?1 AND n NOT IN (SELECT campaign FROM schedule)
    AND EXISTS (SELECT 1 FROM batch WHERE batch.campaign = n AND settled_at IS NULL)
  )
)
ORDER BY n;

-- name: latest
-- ?1 account
SELECT max(id) AS reading FROM reading WHERE account = ?1;

-- name: last_before
-- ?1 account, ?2 before
-- By number, for the clock may have been set back in between.
SELECT begun_at AS begunAt, at, credit AS creditMicro, spent
FROM reading WHERE account = ?1 AND at <= ?2
ORDER BY id DESC LIMIT 1;

-- name: prices
-- ?1 account
SELECT
  max(cost * 1.0 / segments) AS learned,
  (SELECT max(price) FROM campaign WHERE account = ?1) AS launched,
  (SELECT spent FROM account WHERE client_id = ?1) AS spent
FROM price WHERE account = ?1 AND cost > 0;

-- name: charged
-- ?1 account, ?2 since, ?3 claimed_since
-- Campaigns of which nothing was on the wire for so long are not looked through.
SELECT
  total(m.cost) AS known, total(m.segments) FILTER (WHERE m.cost IS NULL) AS segments,
  max(max(m.counted, m.reserved) * 1.0 / m.segments) FILTER (WHERE m.cost IS NULL) AS held
FROM campaign AS c CROSS JOIN message AS m ON m.campaign = c.n
WHERE c.account = ?1 AND c.last_claim_at >= ?3
  AND (m.state = 'sending' OR (m.state = 'sent' AND m.settled_at >= ?2));

-- name: uncertain
-- ?1 account, ?2 since
SELECT total(m.segments) AS segments, max(max(m.counted, m.reserved) * 1.0 / m.segments) AS held
FROM message AS m INDEXED BY message_uncertain JOIN campaign AS c ON c.n = m.campaign
WHERE m.state = 'uncertain' AND m.settled_at >= ?2 AND c.account = ?1;

-- name: decided
-- ?1 account, ?2 since, ?3 claimed_since
-- Uncertain ones that a person has called not sent: if that was wrong, they were charged all the same.
SELECT total(m.segments) AS segments
FROM campaign AS c CROSS JOIN attempt AS a ON a.campaign = c.n
JOIN message AS m ON m.campaign = a.campaign AND m.seq = a.seq
WHERE c.account = ?1 AND c.last_claim_at >= ?3 AND a.outcome = 'uncertain' AND a.settled_at >= ?2;
