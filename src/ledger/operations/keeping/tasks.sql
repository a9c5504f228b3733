-- name: same
-- ?1 kind text, ?2 asked text, ?3 by text
-- One that still works: a second click begins no second one.
SELECT id FROM task WHERE state = 'working' AND kind = ?1 AND asked = ?2 AND "by" = ?3 ORDER BY begun_at DESC LIMIT 1;

-- name: begin
-- ?1 id text, ?2 kind text, ?3 asked text, ?4 by text, ?5 identities text, ?6 process text, ?7 total bigint, ?8 campaign text, ?9 now bigint
INSERT INTO task (id, kind, state, asked, "by", identities, process, done, total, campaign, begun_at, changed_at)
VALUES (?1, ?2, 'working', ?3, ?4, ?5, ?6, 0, ?7, ?8, ?9, ?9);

-- name: tasks
-- ?1 id text, or null for all
SELECT id, kind, state, asked, "by", identities, process, done, total, result, campaign, begun_at AS "begunAt", changed_at AS "changedAt",
  ended_at AS "endedAt"
FROM task WHERE ?1 IS NULL OR id = ?1
ORDER BY begun_at DESC, id;

-- name: take
-- ?1 id text, ?2 process text, ?3 now bigint, ?4 dead text
UPDATE task SET process = ?2, changed_at = ?3 WHERE id = ?1 AND state = 'working' AND process = ?4;

-- name: note
-- ?1 id text, ?2 process text, ?3 now bigint, ?4 done bigint
UPDATE task SET done = ?4, changed_at = ?3 WHERE id = ?1 AND state = 'working' AND process = ?2;

-- name: end
-- ?1 id text, ?2 process text, ?3 now bigint, ?4 state text, ?5 done bigint, ?6 result text, ?7 asked text
UPDATE task SET state = ?4, done = ?5, result = ?6, asked = ?7, process = NULL, changed_at = ?3, ended_at = ?3
WHERE id = ?1 AND state = 'working' AND process = ?2;

-- name: forget
-- ?1 before bigint, ?2 most_exports bigint
DELETE FROM task
WHERE changed_at < ?1 OR (state <> 'working' AND kind = 'export' AND id NOT IN (
  SELECT id FROM task WHERE state <> 'working' AND kind = 'export' ORDER BY ended_at DESC, id LIMIT ?2
));
