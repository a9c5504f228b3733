-- name: fact
-- ?1 name
SELECT value FROM fact WHERE name = ?1;

-- name: was_used
SELECT 1 FROM campaign WHERE state <> 'draft' LIMIT 1;

-- name: audited
SELECT coalesce(max(id), 0) AS audited FROM audit;

-- name: engine
SELECT 'SQLite ' || sqlite_version() AS engine;
