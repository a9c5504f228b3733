-- name: answers
SELECT a.id AS answer, a.http_status AS httpStatus, a.code, a.words AS question, a.meaning, a.by AS mappedBy,
  count(*) AS count, max(e.at) AS lastAt,
  count(DISTINCT iif(m.state = 'uncertain' AND m.written_off = 0, e.campaign || ' ' || e.seq, NULL)) AS messages
FROM answer AS a
CROSS JOIN evidence AS e INDEXED BY evidence_answer ON e.answer = a.id
LEFT JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq AND m.attempt = e.attempt
GROUP BY a.id
ORDER BY messages DESC, count DESC, a.id;

-- name: open
-- ?1 campaign, or null for all
SELECT a.id AS answer, a.http_status AS httpStatus, a.code, a.words AS question,
  count(DISTINCT e.campaign || ' ' || e.seq) AS messages
FROM answer AS a
CROSS JOIN evidence AS e INDEXED BY evidence_answer ON e.answer = a.id
CROSS JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq AND m.attempt = e.attempt
WHERE a.meaning IS NULL AND m.state = 'uncertain' AND m.written_off = 0 AND (?1 IS NULL OR e.campaign = ?1)
GROUP BY a.id
ORDER BY messages DESC, a.id;
