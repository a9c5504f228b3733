-- name: find_group
-- ?1 http_status, ?2 code, ?3 words
SELECT id, meaning FROM answer WHERE words = ?3 AND http_status IS ?1 AND code IS ?2;

-- name: add_group
-- ?1 http_status, ?2 code, ?3 words, ?4 at, ?5 most groups
INSERT INTO answer (http_status, code, words, first_at)
SELECT ?1, ?2, ?3, ?4 WHERE (SELECT count(*) FROM answer) < ?5
RETURNING id, meaning;

-- name: set_meaning
-- ?1 answer, ?2 meaning, ?3 at, ?4 by
UPDATE answer SET meaning = ?2, mapped_at = ?3, by = ?4 WHERE id = ?1;

-- name: forget_meaning
-- ?1 answer
UPDATE answer SET meaning = NULL, mapped_at = NULL, by = NULL WHERE id = ?1 AND meaning IS NOT NULL;

-- name: mapped
SELECT http_status AS httpStatus, code, words AS question, meaning FROM answer WHERE meaning IS NOT NULL;

-- name: open_messages
-- ?1 answer
-- The evidence of an earlier attempt says nothing about the present one.
SELECT DISTINCT m.campaign, m.seq, m.reserved, m.counted
FROM evidence AS e INDEXED BY evidence_answer
CROSS JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq AND m.attempt = e.attempt
WHERE e.answer = ?1 AND m.state = 'uncertain' AND m.written_off = 0;

-- name: call_sent
-- ?1 campaign, ?2 seq, ?3 now
UPDATE message
SET state = 'sent', actor = 'operator', reason = NULL, reserved = 0, settled_at = ?3, basis = 'operator', delivery = 'pending'
WHERE campaign = ?1 AND seq = ?2;

-- name: call_rejected
-- ?1 campaign, ?2 seq, ?3 now, ?4 reason, ?5 retry_helps
UPDATE message
SET state = 'rejected', actor = 'operator', reason = ?4, retry_helps = ?5, reserved = 0, counted = 0, settled_at = ?3
WHERE campaign = ?1 AND seq = ?2;

-- name: groups
SELECT a.id AS answer, a.http_status AS httpStatus, a.code, a.words AS question, a.meaning, a.by AS mappedBy,
  count(*) AS count, max(e.at) AS lastAt,
  count(DISTINCT iif(m.state = 'uncertain' AND m.written_off = 0, e.campaign || ' ' || e.seq, NULL)) AS messages
FROM answer AS a
CROSS JOIN evidence AS e INDEXED BY evidence_answer ON e.answer = a.id
LEFT JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq AND m.attempt = e.attempt
GROUP BY a.id
ORDER BY messages DESC, count DESC, a.id;

-- name: open_groups
-- ?1 campaign, or null for all
SELECT a.id AS answer, a.http_status AS httpStatus, a.code, a.words AS question,
  count(DISTINCT e.campaign || ' ' || e.seq) AS messages
FROM answer AS a
CROSS JOIN evidence AS e INDEXED BY evidence_answer ON e.answer = a.id
CROSS JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq AND m.attempt = e.attempt
WHERE a.meaning IS NULL AND m.state = 'uncertain' AND m.written_off = 0 AND (?1 IS NULL OR e.campaign = ?1)
GROUP BY a.id
ORDER BY messages DESC, a.id;
