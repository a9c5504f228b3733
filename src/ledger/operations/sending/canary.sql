-- name: add
-- ?1 campaign bigint, ?2 messages bigint, ?3 wait_ms bigint, ?4 delivered float8
INSERT INTO canary (campaign, messages, wait_ms, delivered) VALUES (?1, ?2, ?3, ?4);

-- name: copy
-- ?1 schedule bigint, ?2 campaign bigint
INSERT INTO canary (campaign, messages, wait_ms, delivered)
SELECT ?2, messages, wait_ms, delivered FROM canary WHERE campaign = ?1;

-- name: undecided
-- While a campaign is paused for another reason, its canary waits for its verdict.
SELECT k.campaign, c.id, c.state, coalesce(c.first_claim_at, 0) AS begun
FROM canary AS k JOIN campaign AS c ON c.n = k.campaign
WHERE k.verdict IS NULL AND (c.state = 'running' OR (c.state = 'paused' AND c.reason = 'canary'))
ORDER BY k.campaign;

-- name: decide
-- ?1 campaign bigint, ?2 verdict text, ?3 why text, ?4 now bigint
UPDATE canary SET verdict = ?2, why = ?3, decided_at = ?4 WHERE campaign = ?1 AND verdict IS NULL;

-- name: override
-- ?1 campaign bigint, ?2 now bigint
UPDATE canary SET verdict = 'overridden', decided_at = ?2 WHERE campaign = ?1 AND coalesce(verdict, 'failed') = 'failed';

-- name: move
-- ?1 campaign bigint, ?2 seq bigint, ?3 to bigint
UPDATE message SET seq = ?3 WHERE campaign = ?1 AND seq = ?2;

-- name: move_numbers
-- ?1 campaign bigint, ?2 seq bigint, ?3 to bigint
UPDATE other_number SET seq = ?3 WHERE campaign = ?1 AND seq = ?2;

-- name: canary
-- ?1 campaign bigint
SELECT messages AS first, wait_ms AS "waitMs", delivered, verdict, why FROM canary WHERE campaign = ?1;

-- name: counts
-- ?1 campaign bigint, ?2 messages bigint
SELECT count(*) AS messages, count(*) FILTER (WHERE state IN ('queued', 'sending')) AS open,
  count(*) FILTER (WHERE state = 'sent') AS sent, count(*) FILTER (WHERE delivery = 'delivered') AS delivered,
  count(*) FILTER (WHERE delivery = 'undelivered') AS undelivered, count(*) FILTER (WHERE state = 'rejected') AS rejected,
  count(*) FILTER (WHERE state = 'skipped') AS skipped, count(*) FILTER (WHERE state = 'canceled') AS canceled,
  count(*) FILTER (WHERE state = 'uncertain') AS uncertain,
  max(left_at) AS "leftAt"
FROM message_left WHERE campaign = ?1 AND seq <= ?2;
