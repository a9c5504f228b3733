-- name: role_of_user
-- ?1 user text, an id that is never given anew
SELECT role FROM web_user WHERE id = ?1;

-- name: role_of_token
-- ?1 digest text
SELECT role FROM api_token WHERE digest = ?1;

-- name: any_user
SELECT 1 FROM web_user LIMIT 1;
