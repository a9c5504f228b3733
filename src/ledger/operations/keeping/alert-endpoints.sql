-- name: add
-- ?1 id text, ?2 url text, ?3 description text, ?4 causes text, ?5 secret text, ?6 now bigint, ?7 by text, ?8 most bigint
INSERT INTO alert_endpoint (id, url, description, causes, secret, after_alert, added_at, added_by)
SELECT ?1, ?2, ?3, ?4, ?5, (SELECT coalesce(max(id), 0) FROM alert), ?6, ?7
WHERE (SELECT count(*) FROM alert_endpoint) < ?8;

-- name: remove
-- ?1 id text
DELETE FROM alert_endpoint WHERE id = ?1;

-- name: remove_deliveries
-- ?1 id text
DELETE FROM alert_delivery WHERE channel = ?1;

-- name: of_person
-- ?1 by text
SELECT id, url FROM alert_endpoint WHERE added_by = ?1 ORDER BY added_at, id;

-- name: renew_secret
-- ?1 id text, ?2 secret text
UPDATE alert_endpoint SET secret = ?2 WHERE id = ?1;

-- name: target
-- ?1 id text
SELECT url, secret FROM alert_endpoint WHERE id = ?1;

-- name: taken
-- ?1 id text, ?2 now bigint
UPDATE alert_endpoint SET success_at = ?2 WHERE id = ?1;

-- name: failed
-- ?1 id text, ?2 now bigint, ?3 why text
UPDATE alert_endpoint SET failure_at = ?2, failure = ?3 WHERE id = ?1;

-- name: all
SELECT id, url, description, causes, added_at AS "addedAt", added_by AS "addedBy", success_at AS "successAt",
  failure_at AS "failureAt", failure
FROM alert_endpoint
ORDER BY added_at, id;
