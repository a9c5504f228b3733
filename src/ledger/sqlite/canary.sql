-- name: add
-- ?1 campaign, ?2 messages, ?3 wait_ms, ?4 delivered
INSERT INTO canary (campaign, messages, wait_ms, delivered) VALUES (?1, ?2, ?3, ?4);

-- name: copy
-- ?1 schedule, ?2 campaign
INSERT INTO canary (campaign, messages, wait_ms, delivered)
SELECT ?2, messages, wait_ms, delivered FROM canary WHERE campaign = ?1;

-- name: undecided
-- While a campaign is paused for something else its canary waits to be judged.
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

-- name: sample
-- ?1 campaign, ?2 step, ?3 last
-- Messages spread over the whole plan, each with the network that the number's last message showed.
WITH RECURSIVE picked (seq) AS (SELECT 1 UNION ALL SELECT seq + ?2 FROM picked WHERE seq + ?2 <= ?3)
SELECT m.seq, (
    SELECT earlier.network
    FROM (SELECT n FROM campaign WHERE last_claim_at IS NOT NULL ORDER BY last_claim_at DESC LIMIT 8) AS c
    CROSS JOIN identity AS i ON i.campaign = c.n AND i.mobile = m.mobile
    CROSS JOIN message AS earlier ON earlier.campaign = i.campaign AND earlier.seq = i.seq
    WHERE earlier.network IS NOT NULL
    LIMIT 1
  ) AS network
FROM picked CROSS JOIN message AS m ON m.campaign = ?1 AND m.seq = picked.seq
ORDER BY m.seq;

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
