-- name: audit
-- ?1 campaign bigint, or null for all, ?2 before_id bigint, ?3 limit bigint
-- The latest first.
SELECT audit.id, at, by, asked_from AS "from", verb, c.id AS "campaignId", c.name, detail,
  (SELECT count(*) FROM audit AS a WHERE ?1 IS NULL OR a.campaign = ?1) AS total
FROM audit LEFT JOIN campaign AS c ON c.n = audit.campaign
WHERE audit.id < ?2 AND (?1 IS NULL OR audit.campaign = ?1)
ORDER BY audit.id DESC
LIMIT ?3;
