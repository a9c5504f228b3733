-- name: attempt_state
-- ?1 campaign, ?2 seq, ?3 attempt, ?4 worker
-- The row for the decision about an answer. A late verdict of the same attempt adds facts that a report or an
-- operator lacked, unless the report names another message.
SELECT state, reserved, counted, basis, messageid, segments
FROM message
WHERE campaign = ?1 AND seq = ?2 AND attempt = ?3 AND worker = ?4;

-- name: sent
-- ?1 campaign, ?2 seq, ?3 now, ?4 send_ms, ?5 messageid, ?6 network, ?7 cost, ?8 flags, ?9 counted, ?10 actor
UPDATE message
SET state = 'sent', actor = ?10, reason = NULL, reserved = 0, counted = ?9, settled_at = ?3, send_ms = ?4,
  messageid = ?5, network = ?6, cost = ?7, flags = ?8, basis = 'answer', delivery = coalesce(delivery, 'pending'),
  written_off = 0
WHERE campaign = ?1 AND seq = ?2;

-- name: rejected
-- ?1 campaign, ?2 seq, ?3 now, ?4 send_ms, ?5 reason, ?6 retry_helps, ?7 actor
UPDATE message
SET state = 'rejected', actor = ?7, reason = ?5, retry_helps = ?6, reserved = 0, settled_at = ?3, send_ms = ?4
WHERE campaign = ?1 AND seq = ?2;

-- name: uncertain
-- ?1 campaign, ?2 seq, ?3 now, ?4 send_ms, ?5 reason, ?6 actor
UPDATE message
SET state = 'uncertain', actor = ?6, reason = ?5, counted = reserved, settled_at = ?3, send_ms = ?4
WHERE campaign = ?1 AND seq = ?2;

-- name: keep_attempt
-- ?1 campaign, ?2 seq, ?3 now, ?4 send_ms, ?5 reason
INSERT INTO attempt (campaign, seq, number, worker, claimed_at, settled_at, outcome, reason, send_ms)
SELECT campaign, seq, attempt, worker, claimed_at, ?3, 'queued', ?5, ?4 FROM message WHERE campaign = ?1 AND seq = ?2;

-- name: queued
-- ?1 campaign, ?2 seq, ?3 not_before, ?4 counts_as_try, ?5 reason, ?6 actor
UPDATE message
SET state = 'queued', actor = ?6, reason = ?5, worker = NULL, reserved = 0, claimed_at = NULL, tries = tries + ?4,
  not_before = ?3
WHERE campaign = ?1 AND seq = ?2;

-- name: cancel
-- ?1 campaign, ?2 seq, ?3 now
UPDATE message SET state = 'canceled', actor = 'operator', reason = NULL, settled_at = ?3
WHERE campaign = ?1 AND seq = ?2;

-- name: add_evidence
-- ?1 campaign, ?2 seq, ?3 attempt, ?4 at, ?5 http_status, ?6 code, ?7 raw, ?8 answer, ?9 words
INSERT INTO evidence (campaign, seq, attempt, at, http_status, code, raw, answer, words)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT DO UPDATE SET http_status = excluded.http_status, code = excluded.code, raw = excluded.raw, answer = excluded.answer,
  words = excluded.words;

-- name: count_recorded
-- ?1 worker, ?2 verdicts
UPDATE worker SET recorded = recorded + ?2 WHERE id = ?1;

-- name: count_taken_back
-- ?1 campaign
UPDATE campaign SET taken_back = taken_back + 1 WHERE n = ?1;
