-- name: conversations
-- ?1 before_written_at bigint, ?2 before_id bigint, ?3 limit bigint
-- The latest reply of each number. The index of a number says whether a later one is there.
SELECT r.* FROM reply_listed AS r
WHERE (r."writtenAt", r.id) < (?1, ?2) AND r.mobile NOT LIKE 'purged-%' AND NOT EXISTS (
  SELECT 1 FROM reply AS later
  WHERE later.mobile = r.mobile AND (later.written_at, later.id) > (r."writtenAt", r.id) AND later.voided_at IS NULL
)
ORDER BY r."writtenAt" DESC, r.id DESC
LIMIT ?3;

-- name: replies_from
-- ?1 mobile text, ?2 before_written_at bigint, ?3 before_id bigint, ?4 limit bigint
SELECT r.* FROM reply_listed AS r
WHERE r.mobile = ?1 AND (r."writtenAt", r.id) < (?2, ?3)
ORDER BY r."writtenAt" DESC, r.id DESC
LIMIT ?4;

-- name: reply
-- ?1 id bigint
SELECT r.* FROM reply_listed AS r
WHERE r.id = ?1 AND r.mobile NOT LIKE 'purged-%';

-- name: messages_to
-- ?1 mobile text, ?2 before_campaign bigint, ?3 before_seq bigint, ?4 limit bigint
-- One look-up per campaign.
SELECT m.*
FROM campaign AS c CROSS JOIN message AS i INDEXED BY message_identity ON i.campaign = c.n AND i.mobile = ?1
CROSS JOIN message_listed AS m ON m.campaign = i.campaign AND m.seq = i.seq
WHERE c.state <> 'draft' AND c.n <= ?2 AND (c.n, i.seq) < (?2, ?3)
ORDER BY c.n DESC, i.seq DESC
LIMIT ?4;

-- name: messages_of_id
-- ?1 plain ids text (JSON), ?2 limit bigint
SELECT m.*
FROM (
  SELECT DISTINCT i.campaign, i.seq FROM json_each(?1) AS form CROSS JOIN message_id AS i ON i.plain_id = form.value
) AS place CROSS JOIN message_listed AS m ON m.campaign = place.campaign AND m.seq = place.seq
WHERE m."messageId" IS NOT NULL
ORDER BY m.campaign DESC, m.seq DESC
LIMIT ?2;

-- name: messages_of_key
-- ?1 campaign bigint, ?2 key text, ?3 limit bigint
SELECT m.*
FROM message AS i INDEXED BY message_identity CROSS JOIN message_listed AS m ON m.campaign = i.campaign AND m.seq = i.seq
WHERE i.campaign = ?1 AND i.key = ?2
ORDER BY i.seq DESC
LIMIT ?3;

-- name: life
-- ?1 campaign bigint, ?2 seq bigint
SELECT l.*, m.claimed_at AS "claimedAt", m.send_ms AS "sendMs", m.actor, m.basis, m.flags, m.written_off AS "writtenOff", m.conflict
FROM message_listed AS l CROSS JOIN message AS m ON m.campaign = l.campaign AND m.seq = l.seq
CROSS JOIN campaign AS c ON c.n = m.campaign
WHERE l.campaign = ?1 AND l.seq = ?2 AND c.state <> 'draft';

-- name: attempts
-- ?1 campaign bigint, ?2 seq bigint
SELECT number, claimed_at AS "claimedAt", settled_at AS "settledAt", outcome, reason, send_ms AS "sendMs"
FROM attempt WHERE campaign = ?1 AND seq = ?2 ORDER BY number;

-- name: evidence
-- ?1 campaign bigint, ?2 seq bigint
SELECT attempt, at, http_status AS "httpStatus", code, raw, words
FROM evidence WHERE campaign = ?1 AND seq = ?2 ORDER BY attempt, at;

-- name: reports
-- ?1 campaign bigint, ?2 seq bigint
SELECT webhook, at, received_at AS "receivedAt", word, delivery, reason
FROM report WHERE campaign = ?1 AND seq = ?2 ORDER BY id;
