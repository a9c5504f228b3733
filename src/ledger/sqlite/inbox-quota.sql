-- name: unread_span
-- They are read in their order, so what lies between the oldest unread one and the newest is unread, near enough; to
-- count them would take longer the fuller it is.
SELECT (SELECT max(id) FROM webhook) + 1 - id AS unread
FROM webhook
WHERE kind IS NULL AND urgent = 0
ORDER BY id
LIMIT 1;
