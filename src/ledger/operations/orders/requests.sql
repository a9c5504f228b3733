-- name: forget_old
-- ?1 begun before bigint
DELETE FROM request_key WHERE begun_at < ?1;

-- name: begin
-- ?1 principal text, ?2 key text, ?3 digest text, ?4 process text, ?5 now bigint
INSERT INTO request_key (principal, key, digest, process, begun_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (principal, key) DO NOTHING;

-- name: one
-- ?1 principal text, ?2 key text
SELECT digest, process, status, answer FROM request_key WHERE principal = ?1 AND key = ?2;

-- name: answer
-- ?1 principal text, ?2 key text, ?3 status bigint, ?4 answer text
UPDATE request_key SET process = NULL, status = ?3, answer = ?4 WHERE principal = ?1 AND key = ?2;

-- name: leave
-- ?1 principal text, ?2 key text
UPDATE request_key SET process = NULL WHERE principal = ?1 AND key = ?2;

-- name: forget
-- ?1 principal text, ?2 key text
DELETE FROM request_key WHERE principal = ?1 AND key = ?2;
