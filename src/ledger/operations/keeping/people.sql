-- name: add_user
-- ?1 name text, ?2 role text, ?3 now bigint, ?4 by text, ?5 id text
INSERT INTO web_user (name, role, added_at, added_by, id) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (name) DO NOTHING;

-- name: set_role
-- ?1 name text, ?2 role text
UPDATE web_user SET role = ?2 WHERE name = ?1;

-- name: user
-- ?1 name text
SELECT id, name, role, password FROM web_user WHERE name = ?1;

-- name: remove_user
-- ?1 name text
DELETE FROM web_user WHERE name = ?1;

-- name: has_users
SELECT 1 FROM web_user LIMIT 1;

-- name: users
SELECT name, role, added_at AS "addedAt", added_by AS "addedBy", password IS NOT NULL AS "hasPassword", seen_at AS "seenAt",
  (SELECT max(ends_at) FROM sign_in_link AS l WHERE l.name = u.name) AS "linkEndsAt",
  (SELECT count(*) FROM web_session AS s WHERE s.name = u.name) AS sessions
FROM web_user AS u
ORDER BY name;

-- name: add_link
-- ?1 digest text, ?2 name text, ?3 ends_at bigint
INSERT INTO sign_in_link (digest, name, ends_at) VALUES (?1, ?2, ?3);

-- name: end_links
-- ?1 name text
DELETE FROM sign_in_link WHERE name = ?1;

-- name: link
-- ?1 digest text
SELECT name, ends_at AS "endsAt" FROM sign_in_link WHERE digest = ?1;

-- name: set_password
-- ?1 name text, ?2 password text
UPDATE web_user SET password = ?2 WHERE name = ?1;

-- name: seen
-- ?1 name text, ?2 now bigint
UPDATE web_user SET seen_at = ?2 WHERE name = ?1;

-- name: add_session
-- ?1 digest text, ?2 name text, ?3 now bigint, ?4 ends_at bigint
INSERT INTO web_session (digest, name, begun_at, used_at, ends_at) VALUES (?1, ?2, ?3, ?3, ?4);

-- name: session
-- ?1 digest text
-- The left join keeps sessions of the home link, which end once there are users.
SELECT s.name, u.id, u.role, s.begun_at AS "begunAt", s.used_at AS "usedAt", s.ends_at AS "endsAt"
FROM web_session AS s LEFT JOIN web_user AS u ON u.name = s.name
WHERE s.digest = ?1 AND CASE WHEN s.name IS NULL THEN NOT EXISTS (SELECT 1 FROM web_user) ELSE u.role IS NOT NULL END;

-- name: touch_session
-- ?1 digest text, ?2 now bigint
UPDATE web_session SET used_at = ?2 WHERE digest = ?1 AND used_at < ?2;

-- name: end_session
-- ?1 digest text
DELETE FROM web_session WHERE digest = ?1 RETURNING name;

-- name: end_sessions
-- ?1 name text
DELETE FROM web_session WHERE name = ?1;

-- name: end_home_sessions
DELETE FROM web_session WHERE name IS NULL;

-- name: forget_sessions
-- ?1 now bigint
DELETE FROM web_session WHERE ends_at <= ?1;

-- name: add_attempt
-- ?1 name text, ?2 address text, ?3 at bigint
INSERT INTO sign_in_attempt (name, address, at) VALUES (?1, ?2, ?3);

-- name: too_many_attempts
-- ?1 name text, ?2 address text, ?3 since bigint, ?4 per name here bigint, ?5 per name bigint, ?6 per address bigint
-- The oldest of as many latest tries as there may be, of the name here, of the name, and from the address; null: there
-- were fewer.
SELECT max(at) AS at FROM (
  SELECT * FROM (SELECT at FROM sign_in_attempt WHERE name = ?1 AND address = ?2 AND at > ?3 ORDER BY at DESC LIMIT 1 OFFSET ?4 - 1) AS here
  UNION ALL SELECT * FROM (SELECT at FROM sign_in_attempt WHERE name = ?1 AND at > ?3 ORDER BY at DESC LIMIT 1 OFFSET ?5 - 1) AS named
  UNION ALL SELECT * FROM (SELECT at FROM sign_in_attempt WHERE address = ?2 AND at > ?3 ORDER BY at DESC LIMIT 1 OFFSET ?6 - 1) AS addressed
) AS full_at;

-- name: forget_attempts
-- ?1 name text, ?2 address text
DELETE FROM sign_in_attempt WHERE name = ?1 AND address = ?2;

-- name: forget_old_attempts
-- ?1 before bigint
DELETE FROM sign_in_attempt WHERE at <= ?1;

-- name: add_token
-- ?1 digest text, ?2 name text, ?3 role text, ?4 now bigint, ?5 by text, ?6 ends_at bigint, ?7 owners text
INSERT INTO api_token (digest, name, role, added_at, added_by, ends_at, owners) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (name) DO NOTHING;

-- name: remove_token
-- ?1 name text
DELETE FROM api_token WHERE name = ?1;

-- name: touch_token
-- ?1 digest text, ?2 now bigint
UPDATE api_token SET used_at = ?2 WHERE digest = ?1 AND (used_at IS NULL OR used_at < ?2);

-- name: tokens_of
-- ?1 user text
SELECT name, role FROM api_token WHERE owners LIKE '%"' || ?1 || '"%' ORDER BY name;

-- name: tokens
-- ?1 digest text, or null for all
SELECT owners, name, role, added_at AS "addedAt", added_by AS "addedBy", ends_at AS "endsAt", used_at AS "usedAt",
  (SELECT u.name FROM web_user AS u WHERE t.owners LIKE '%"' || u.id || '"%') AS "user"
FROM api_token AS t
WHERE ?1 IS NULL OR digest = ?1
ORDER BY name;
