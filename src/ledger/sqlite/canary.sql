-- name: add
-- ?1 campaign, ?2 messages, ?3 wait_ms, ?4 delivered
INSERT INTO canary (campaign, messages, wait_ms, delivered) VALUES (?1, ?2, ?3, ?4);

-- name: copy
-- ?1 schedule, ?2 campaign
INSERT INTO canary (campaign, messages, wait_ms, delivered)
SELECT ?2, messages, wait_ms, delivered FROM canary WHERE campaign = ?1;

-- name: undecided
-- While a campaign is paused for another reason, its canary waits for its verdict.
SELECT k.campaign, c.id, c.state
FROM canary AS k JOIN campaign AS c ON c.n = k.campaign
WHERE k.verdict IS NULL AND (c.state = 'running' OR (c.state = 'paused' AND c.reason = 'canary'))
ORDER BY k.campaign;

-- name: decide
-- ?1 campaign, ?2 verdict, ?3 why, ?4 now
UPDATE canary SET verdict = ?2, why = ?3, decided_at = ?4 WHERE campaign = ?1 AND verdict IS NULL;

-- name: override
-- ?1 campaign, ?2 now
UPDATE canary SET verdict = 'overridden', decided_at = ?2 WHERE campaign = ?1 AND coalesce(verdict, 'failed') = 'failed';

-- name: take_out
-- ?1 campaign, ?2 seq
DELETE FROM message WHERE campaign = ?1 AND seq = ?2
RETURNING line, mobile, key, occurrence, fields, segments, queued_at, not_before, not_after, text_hash;

-- name: put
-- ?1 campaign, ?2 seq, ?3 line, ?4 mobile, ?5 key, ?6 occurrence, ?7 fields, ?8 segments, ?9 queued_at, ?10 not_before,
-- ?11 not_after, ?12 text_hash
INSERT INTO message (campaign, seq, line, mobile, key, occurrence, fields, segments, state, actor, queued_at,
  not_before, not_after, text_hash)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'queued', 'planner', ?9, ?10, ?11, ?12);

-- name: canary
-- ?1 campaign
SELECT messages AS first, wait_ms AS waitMs, delivered, verdict, why FROM canary WHERE campaign = ?1;

-- name: counts
-- ?1 campaign, ?2 messages
SELECT count(*) AS messages, count(*) FILTER (WHERE state IN ('queued', 'sending')) AS open,
  count(*) FILTER (WHERE state = 'sent') AS sent, count(*) FILTER (WHERE delivery = 'delivered') AS delivered,
  count(*) FILTER (WHERE delivery = 'undelivered') AS undelivered, count(*) FILTER (WHERE state = 'rejected') AS rejected,
  count(*) FILTER (WHERE state = 'skipped') AS skipped, count(*) FILTER (WHERE state = 'canceled') AS canceled,
  count(*) FILTER (WHERE state = 'uncertain') AS uncertain,
  max(left_at) AS leftAt
FROM message_left WHERE campaign = ?1 AND seq <= ?2;

-- name: begun
-- ?1 campaign
SELECT first_claim_at AS at FROM campaign WHERE n = ?1;
