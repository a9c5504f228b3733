-- name: same
-- ?1 kind, ?2 asked, ?3 by
-- One that still works: a second click begins no second one.
SELECT * FROM task WHERE state = 'working' AND kind = ?1 AND asked = ?2 AND "by" = ?3 ORDER BY begun_at DESC LIMIT 1;

-- name: begin
-- ?1 id, ?2 kind, ?3 asked, ?4 by, ?5 identities, ?6 process, ?7 total, ?8 campaign, ?9 now
INSERT INTO task (id, kind, state, asked, "by", identities, process, done, total, campaign, begun_at, changed_at)
VALUES (?1, ?2, 'working', ?3, ?4, ?5, ?6, 0, ?7, ?8, ?9, ?9);

-- name: one
-- ?1 id
SELECT * FROM task WHERE id = ?1;

-- name: all
SELECT * FROM task ORDER BY begun_at DESC, id;

-- name: take
-- ?1 id, ?2 process, ?3 now, ?4 dead
UPDATE task SET process = ?2, changed_at = ?3 WHERE id = ?1 AND state = 'working' AND process = ?4;

-- name: note
-- ?1 id, ?2 process, ?3 now, ?4 done
UPDATE task SET done = ?4, changed_at = ?3 WHERE id = ?1 AND state = 'working' AND process = ?2;

-- name: end
-- ?1 id, ?2 process, ?3 now, ?4 state, ?5 done, ?6 result, ?7 asked
UPDATE task SET state = ?4, done = ?5, result = ?6, asked = ?7, process = NULL, changed_at = ?3, ended_at = ?3
WHERE id = ?1 AND state = 'working' AND process = ?2;

-- name: forget
-- ?1 before, ?2 most_exports
DELETE FROM task
WHERE changed_at < ?1 OR (state <> 'working' AND kind = 'export' AND id NOT IN (
  SELECT id FROM task WHERE state <> 'working' AND kind = 'export' ORDER BY ended_at DESC, id LIMIT ?2
));

