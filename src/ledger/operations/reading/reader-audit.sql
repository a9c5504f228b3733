-- name: audit_trail
-- ?1 campaign bigint, ?2 limit bigint
-- The latest entries. An import of opt-outs is one entry.
SELECT at, by, verb, asked_from AS "from", c.id AS campaign, c.name, detail, count(*) OVER () AS total
FROM (
  SELECT at, by, verb, asked_from, campaign, detail, id FROM audit WHERE ?1 IS NULL OR campaign = ?1
  UNION ALL
  SELECT at, by, iif(change = 'added', 'add opt-outs', 'remove opt-outs'), asked_from, NULL,
    CAST(json_object('numbers', count(*), 'mobile', iif(count(*) = 1, min(mobile), NULL), 'source', source) AS text), min(id)
  FROM opt_out_event
  WHERE ?1 IS NULL AND source IN ('operator', 'import') AND change <> 'voided'
  GROUP BY at, by, change, source, asked_from
) AS entry LEFT JOIN campaign AS c ON c.n = entry.campaign
ORDER BY at DESC, entry.id DESC
LIMIT ?2;

-- name: audit_before
-- ?1 campaign bigint, ?2 before_id bigint, ?3 limit bigint
SELECT audit.id, at, by, asked_from AS "from", verb, c.id AS campaign, c.name, detail
FROM audit LEFT JOIN campaign AS c ON c.n = audit.campaign
WHERE audit.id < ?2 AND (?1 IS NULL OR audit.campaign = ?1)
ORDER BY audit.id DESC
LIMIT ?3;

-- name: ordered_opt_outs_before
-- ?1 before_at bigint, ?2 limit bigint
-- Those that a person ordered, one row a commit: an import makes a thousand in each. The index holds all that is read.
SELECT at, by, asked_from AS "from", change, source, count(*) AS numbers, max(id) AS id
FROM opt_out_event
WHERE at < ?1 AND source IN ('operator', 'import') AND change <> 'voided'
GROUP BY at, by, change, source, asked_from
ORDER BY at DESC, by DESC, change DESC, source DESC, asked_from DESC
LIMIT ?2;

-- name: one_opt_out
-- ?1 id bigint
SELECT mobile, evidence FROM opt_out_event WHERE id = ?1;
