-- name: uncertain
-- ?1 campaign bigint, ?2 limit bigint, ?3 line bigint, ?4 mobile text
-- By the index of uncertain messages: there are few of them in a ledger, and a campaign may have a million others. The
-- latest evidence of the present attempt, because an answer may come after a first verdict.
SELECT m.seq, m.line, m.mobile, m.key, m.reason, m.attempt AS attempts, m.settled_at AS "settledAt",
  m.written_off AS "writtenOff", m.flags, e.at AS "seenAt", e.http_status AS "httpStatus", e.code, e.raw
FROM (
  SELECT campaign, seq FROM message INDEXED BY message_uncertain
  WHERE state = 'uncertain' AND campaign = ?1 AND (?4 IS NULL OR mobile = ?4) AND (?3 IS NULL OR line = ?3)
  ORDER BY seq
  LIMIT ?2
) AS u CROSS JOIN message AS m ON m.campaign = u.campaign AND m.seq = u.seq
LEFT JOIN evidence AS e ON e.campaign = m.campaign AND e.seq = m.seq AND e.attempt = m.attempt AND e.at = (
  SELECT max(at) FROM evidence WHERE campaign = m.campaign AND seq = m.seq AND attempt = m.attempt
)
ORDER BY m.seq;

-- name: young_uncertain
-- ?1 campaign bigint, ?2 since bigint
SELECT count(*) AS count, max(settled_at) AS "latestAt"
FROM message INDEXED BY message_uncertain
WHERE state = 'uncertain' AND campaign = ?1 AND written_off = 0 AND settled_at >= ?2;

-- name: count_uncertain
-- ?1 campaign bigint, ?2 line bigint, ?3 mobile text
SELECT count(*) AS count
FROM message INDEXED BY message_uncertain
WHERE state = 'uncertain' AND campaign = ?1 AND (?2 IS NULL OR line = ?2) AND (?3 IS NULL OR mobile = ?3);
