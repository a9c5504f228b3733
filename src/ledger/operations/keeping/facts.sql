-- name: fact
-- ?1 name text
SELECT value FROM fact WHERE name = ?1;

-- name: was_used
-- A person began it, or launched something other than a test to a phone of their own.
SELECT 1 FROM audit WHERE verb = 'begin'
UNION ALL SELECT 1 FROM campaign WHERE state <> 'draft' AND CAST(coalesce(settings ->> '$.isTest', '0') AS bigint) = 0
LIMIT 1;

-- name: audited
SELECT coalesce(max(id), 0) AS audited FROM audit;
