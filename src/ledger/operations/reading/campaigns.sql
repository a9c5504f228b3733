-- name: campaigns
-- ?1 campaign bigint, or null for all
SELECT *, n IN (SELECT campaign FROM applying) AS applying, iif(state = 'paused', (
  SELECT detail FROM audit
  WHERE audit.campaign = n AND verb IN ('pause', 'miss_start') ORDER BY audit.id DESC LIMIT 1
), NULL) AS pause
FROM campaign WHERE state <> 'draft' AND (?1 IS NULL OR n = ?1) ORDER BY n DESC;

-- name: found
-- ?1 reference text
-- The one with this id, else the latest of this name, else all whose id begins so.
SELECT * FROM campaign
WHERE state <> 'draft' AND n IN (
  SELECT coalesce(
    (SELECT n FROM campaign WHERE id = ?1 AND state <> 'draft'),
    (SELECT max(n) FROM campaign WHERE name = ?1 AND state <> 'draft'),
    p.n
  )
  FROM (SELECT NULL AS n UNION ALL SELECT n FROM campaign WHERE substr(id, 1, length(?1)) = ?1) AS p
)
ORDER BY n DESC;

-- name: campaigns_numbered
-- ?1 numbers text (JSON)
SELECT * FROM campaign WHERE n IN (SELECT CAST(value AS bigint) FROM json_each(?1)) AND state <> 'draft' ORDER BY n DESC;

-- name: uploads
-- ?1 campaign bigint
SELECT
  coalesce(sum(read), 0) AS read, coalesce(sum(planned), 0) AS planned, coalesce(sum(unchanged), 0) AS unchanged,
  coalesce(sum(duplicate), 0) AS duplicate, coalesce(sum(invalid), 0) AS invalid,
  coalesce(sum(suppressed), 0) AS suppressed
FROM upload WHERE campaign = ?1;
