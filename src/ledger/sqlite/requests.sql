-- name: forget_old
-- ?1 begun before
DELETE FROM request_key WHERE begun_at < ?1;

-- name: begin
-- ?1 principal, ?2 key, ?3 digest, ?4 process, ?5 now
INSERT INTO request_key (principal, key, digest, process, begun_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (principal, key) DO NOTHING;

-- name: one
-- ?1 principal, ?2 key
SELECT digest, process, status, answer FROM request_key WHERE principal = ?1 AND key = ?2;

-- name: answer
-- ?1 principal, ?2 key, ?3 status, ?4 answer
UPDATE request_key SET process = NULL, status = ?3, answer = ?4 WHERE principal = ?1 AND key = ?2;

-- name: leave
-- ?1 principal, ?2 key
UPDATE request_key SET process = NULL WHERE principal = ?1 AND key = ?2;

-- name: forget
-- ?1 principal, ?2 key
DELETE FROM request_key WHERE principal = ?1 AND key = ?2;
