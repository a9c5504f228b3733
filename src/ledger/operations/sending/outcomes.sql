-- name: attempt_state
-- ?1 campaign bigint, ?2 seq bigint, ?3 attempt bigint, ?4 worker bigint
-- The row for the decision about an answer. A late verdict of the same attempt adds facts that a report or an
-- operator lacked, unless the report names another message.
SELECT state, reserved, counted, basis, messageid AS "messageId", segments
FROM message
WHERE campaign = ?1 AND seq = ?2 AND attempt = ?3 AND worker = ?4;

-- name: sent
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint, ?4 send_ms bigint, ?5 messageid text, ?6 network text, ?7 cost bigint, ?8 flags text, ?9 counted bigint, ?10 actor text,
-- ?11 attempt bigint, ?12 state_before text
-- counted: told
UPDATE message
SET state = 'sent', actor = ?10, reason = NULL, reserved = 0, counted = ?9, settled_at = ?3, send_ms = ?4,
  messageid = ?5, network = ?6, cost = ?7, flags = ?8, basis = 'answer', delivery = coalesce(delivery, 'pending'),
  written_off = 0
WHERE campaign = ?1 AND seq = ?2 AND attempt = ?11 AND state = ?12;

-- name: rejected
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint, ?4 send_ms bigint, ?5 reason text, ?6 retry_helps bigint, ?7 actor text, ?8 attempt bigint
-- counted: seq
UPDATE message
SET state = 'rejected', actor = ?7, reason = ?5, retry_helps = ?6, reserved = 0, settled_at = ?3, send_ms = ?4
WHERE campaign = ?1 AND seq = ?2 AND attempt = ?8 AND state = 'sending';

-- name: uncertain
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint, ?4 send_ms bigint, ?5 reason text, ?6 actor text, ?7 attempt bigint
-- counted: seq
UPDATE message
SET state = 'uncertain', actor = ?6, reason = ?5, counted = reserved, settled_at = ?3, send_ms = ?4
WHERE campaign = ?1 AND seq = ?2 AND attempt = ?7 AND state = 'sending';

-- name: keep_attempt
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint, ?4 send_ms bigint, ?5 reason text
INSERT INTO attempt (campaign, seq, number, claimed_at, settled_at, outcome, reason, send_ms)
SELECT campaign, seq, attempt, claimed_at, ?3, 'queued', ?5, ?4 FROM message WHERE campaign = ?1 AND seq = ?2;

-- name: queued
-- ?1 campaign bigint, ?2 seq bigint, ?3 not_before bigint, ?4 counts_as_try bigint, ?5 reason text, ?6 actor text, ?7 attempt bigint
-- counted: seq
UPDATE message
SET state = 'queued', actor = ?6, reason = ?5, worker = NULL, reserved = 0, claimed_at = NULL, tries = tries + ?4,
  not_before = ?3
WHERE campaign = ?1 AND seq = ?2 AND attempt = ?7 AND state = 'sending';

-- name: cancel
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint
-- counted: seq
-- A message of a person who was canceled by hand is canceled already.
UPDATE message SET state = 'canceled', actor = 'operator', reason = NULL, settled_at = ?3
WHERE campaign = ?1 AND seq = ?2 AND (state = 'queued' OR state = 'canceled');

-- name: add_evidence
-- ?1 campaign bigint, ?2 seq bigint, ?3 attempt bigint, ?4 at bigint, ?5 http_status bigint, ?6 code text, ?7 raw text, ?8 answer bigint, ?9 words text
INSERT INTO evidence (campaign, seq, attempt, at, http_status, code, raw, answer, words)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (campaign, seq, attempt, at) DO UPDATE SET http_status = excluded.http_status, code = excluded.code, raw = excluded.raw, answer = excluded.answer,
  words = excluded.words;

-- name: count_recorded
-- ?1 worker bigint, ?2 verdicts bigint
UPDATE worker SET recorded = recorded + ?2 WHERE id = ?1;

-- name: count_taken_back
-- ?1 campaign bigint, ?2 messages bigint
UPDATE campaign SET taken_back = taken_back + ?2 WHERE n = ?1;
