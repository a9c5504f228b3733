-- name: version
-- Grows with every shape that comes and every one that goes.
SELECT count(*) + count(voided_at) AS version FROM payload_mapping;

-- name: live
SELECT id, paths, at, by FROM payload_mapping WHERE voided_at IS NULL ORDER BY id DESC;

-- name: live_with
-- ?1 paths
SELECT id FROM payload_mapping WHERE paths = ?1 AND voided_at IS NULL;

-- name: add
-- ?1 paths, ?2 at, ?3 by
INSERT INTO payload_mapping (paths, at, by) VALUES (?1, ?2, ?3);

-- name: void
-- ?1 id, ?2 now
UPDATE payload_mapping SET voided_at = ?2 WHERE id = ?1 AND voided_at IS NULL;
