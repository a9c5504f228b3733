-- name: find_group
-- ?1 http_status bigint, ?2 content text
SELECT id, meaning FROM answer WHERE content = ?2 AND http_status IS NOT DISTINCT FROM ?1;

-- name: add_group
-- ?1 http_status bigint, ?2 content text, ?3 code text, ?4 words text, ?5 at bigint, ?6 since bigint, ?7 most groups since then bigint
INSERT INTO answer (http_status, content, code, words, first_at)
SELECT ?1, ?2, ?3, ?4, ?5 WHERE (SELECT count(*) FROM answer WHERE first_at > ?6) < ?7
RETURNING id, meaning;

-- name: set_meaning
-- ?1 answer bigint, ?2 meaning text, ?3 by text
-- Another meaning first needs `forget_meaning`, because the decisions of the old one would stay.
UPDATE answer SET meaning = ?2, by = ?3 WHERE id = ?1 AND (meaning IS NULL OR meaning = ?2);

-- name: forget_meaning
-- ?1 answer bigint
UPDATE answer SET meaning = NULL, by = NULL WHERE id = ?1 AND meaning IS NOT NULL;

-- name: mapped
SELECT http_status AS "httpStatus", content, meaning FROM answer WHERE meaning IS NOT NULL;

-- name: open_messages
-- ?1 answer bigint
-- The evidence of an earlier attempt says nothing about the present one.
SELECT DISTINCT m.campaign, m.seq, m.attempt, m.reserved, m.counted
FROM evidence AS e INDEXED BY evidence_answer
CROSS JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq AND m.attempt = e.attempt
WHERE e.answer = ?1 AND m.state = 'uncertain' AND m.written_off = 0;

-- name: call_sent
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint
-- counted: seq
UPDATE message
SET state = 'sent', actor = 'operator', reason = NULL, reserved = 0, settled_at = ?3, basis = 'mapping', delivery = 'pending'
WHERE campaign = ?1 AND seq = ?2 AND state = 'uncertain';

-- name: call_rejected
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint, ?4 reason text, ?5 retry_helps bigint
-- counted: seq
UPDATE message
SET state = 'rejected', actor = 'operator', reason = ?4, retry_helps = ?5, reserved = 0, counted = 0, settled_at = ?3
WHERE campaign = ?1 AND seq = ?2 AND state = 'uncertain';

-- name: mark_mapped
-- ?1 campaign bigint, ?2 seq bigint, ?3 attempt bigint
UPDATE evidence SET mapped = 1 WHERE campaign = ?1 AND seq = ?2 AND attempt = ?3 AND answer IS NOT NULL;

-- name: mapped_messages
-- ?1 answer bigint
-- Every message of which the mapping decided an attempt, with the time of that attempt and the highest price. A later
-- attempt may have been decided otherwise, and the fate of this one is unknown all the same.
SELECT m.campaign, m.seq, m.state, m.basis IS NOT DISTINCT FROM 'mapping' AS "isByMapping", c.state = 'canceled' AS "isCanceled",
  c.id AS "campaignId", m.occurrence <> '' AS "isReminder",
  max(coalesce(a.claimed_at, m.claimed_at)) AS "claimedAt", m.counted, m.segments * coalesce(
    (SELECT max((cost + p.segments - 1) / p.segments) FROM price AS p WHERE p.account = c.account AND p.cost > 0), c.price, 0
  ) AS price
FROM evidence AS e INDEXED BY evidence_answer
CROSS JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq
CROSS JOIN campaign AS c ON c.n = m.campaign
LEFT JOIN attempt AS a ON a.campaign = e.campaign AND a.seq = e.seq AND a.number = e.attempt
WHERE e.answer = ?1 AND e.mapped = 1
GROUP BY m.campaign, m.seq, c.n;

-- name: reopen
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint, ?4 claimed_at bigint, ?5 counted bigint, ?6 reserved bigint
-- counted: seq
-- It was claimed when the mapped attempt was, so that a report of that attempt finds it.
UPDATE message
SET state = 'uncertain', actor = 'operator', reason = 'mapping taken back', retry_helps = 0, worker = NULL, claimed_at = ?4, settled_at = ?3,
  counted = ?5, reserved = ?6, basis = NULL, delivery = NULL
WHERE campaign = ?1 AND seq = ?2;

-- name: skip_other_dates
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint
-- counted: returned
-- With a key a reminder has one date. The date to which an upload moved it waits no longer, because this one may have
-- been sent. `resolve --not-sent` brings it back.
UPDATE message SET state = 'skipped', actor = 'planner', reason = 'already reminded', settled_at = ?3
WHERE campaign = ?1 AND state = 'queued' AND seq IN (
  SELECT i.seq
  FROM message AS m JOIN campaign AS c ON c.n = m.campaign
  CROSS JOIN message AS i ON i.campaign = m.campaign AND i.mobile = m.mobile AND i.key = m.key
  WHERE m.campaign = ?1 AND m.seq = ?2 AND i.seq <> m.seq AND CAST(c.settings ->> '$.remind.keyed' AS bigint) = 1
)
RETURNING seq;

-- name: unmark
-- ?1 answer bigint
UPDATE evidence SET mapped = 0 WHERE answer = ?1 AND mapped = 1;

-- name: groups
SELECT a.id AS answer, a.http_status AS "httpStatus", a.code, a.words, a.meaning, a.by AS "mappedBy",
  count(*) AS count, max(e.at) AS "lastAt",
  (SELECT raw FROM evidence WHERE answer = a.id AND raw IS NOT NULL LIMIT 1) AS example,
  count(DISTINCT iif(m.state = 'uncertain' AND m.written_off = 0, e.campaign || ' ' || e.seq, NULL)) AS messages
FROM answer AS a
CROSS JOIN evidence AS e INDEXED BY evidence_answer ON e.answer = a.id
LEFT JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq AND m.attempt = e.attempt
GROUP BY a.id
ORDER BY messages DESC, count DESC, a.id;

-- name: open_groups
-- ?1 campaign bigint, or null for all
SELECT a.id AS answer, a.http_status AS "httpStatus", a.code, a.words,
  count(DISTINCT e.campaign || ' ' || e.seq) AS messages
FROM answer AS a
CROSS JOIN evidence AS e INDEXED BY evidence_answer ON e.answer = a.id
CROSS JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq AND m.attempt = e.attempt
WHERE a.meaning IS NULL AND m.state = 'uncertain' AND m.written_off = 0 AND (?1 IS NULL OR e.campaign = ?1)
GROUP BY a.id
ORDER BY messages DESC, a.id;

-- name: examples
-- ?1 answer bigint, ?2 count bigint
-- The latest of each text, because a person learns nothing from the same one twice.
SELECT raw FROM evidence INDEXED BY evidence_answer
WHERE answer = ?1 AND raw IS NOT NULL
GROUP BY raw ORDER BY max(at) DESC LIMIT ?2 + 0;

-- name: proved_sent
-- ?1 answer bigint
-- Messages that got this answer, and that a delivery report proved to be sent.
SELECT count(DISTINCT e.campaign || ' ' || e.seq) AS count
FROM evidence AS e INDEXED BY evidence_answer
CROSS JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq AND m.attempt = e.attempt
WHERE e.answer = ?1 AND m.state = 'sent' AND m.basis = 'report';

-- name: named_by_reports
-- ?1 answer bigint
-- Open messages that got this answer, and whose number a waiting report names.
SELECT count(DISTINCT m.campaign || ' ' || m.seq) AS count
FROM report AS r INDEXED BY report_unjoined
CROSS JOIN message AS m INDEXED BY message_uncertain ON m.mobile = r.mobile
CROSS JOIN evidence AS e ON e.campaign = m.campaign AND e.seq = m.seq AND e.attempt = m.attempt
WHERE r.joined <> 'joined' AND r.joined = 'waiting' AND m.state = 'uncertain' AND m.written_off = 0 AND e.answer = ?1
  AND r.received_at BETWEEN m.claimed_at AND m.claimed_at + 259200000;

-- name: contradictions
-- ?1 campaign bigint, or null for all
SELECT c.id AS campaign, count(DISTINCT x.seq) AS messages, max(x.received_at) AS "lastAt"
FROM contradiction AS x JOIN campaign AS c ON c.n = x.campaign
WHERE ?1 IS NULL OR x.campaign = ?1
GROUP BY c.n ORDER BY c.n;

-- name: contradicting_webhooks
-- ?1 count bigint
SELECT DISTINCT webhook FROM contradiction ORDER BY webhook DESC LIMIT ?1 + 0;

-- name: left_out
-- ?1 campaign bigint, ?2 reason text, ?3 answered_before bigint
-- The rejected messages that a retry would take, but for a report that names them or for their age. Few are either, and
-- both are found without a look at the others.
WITH named AS MATERIALIZED (SELECT DISTINCT seq FROM contradiction WHERE campaign = ?1),
young AS MATERIALIZED (
  SELECT DISTINCT e.seq
  FROM answer AS a CROSS JOIN evidence AS e INDEXED BY evidence_answer ON e.answer = a.id AND e.campaign = ?1
  CROSS JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq AND m.attempt = e.attempt
  WHERE e.mapped = 1 AND e.at >= ?3 AND e.seq NOT IN (SELECT seq FROM named)
)
SELECT coalesce(sum(f.named), 0) AS named, coalesce(sum(1 - f.named), 0) AS "tooYoung"
FROM (SELECT seq, 1 AS named FROM named UNION ALL SELECT seq, 0 FROM young) AS f
CROSS JOIN message AS m ON m.campaign = ?1 AND m.seq = f.seq
WHERE m.state = 'rejected' AND CASE WHEN ?2 IS NULL THEN m.retry_helps = 1 ELSE m.reason = ?2 END;
