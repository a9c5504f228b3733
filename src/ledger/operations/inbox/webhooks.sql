-- name: stored
-- ?1 digest bytea
SELECT digest FROM webhook WHERE digest = ?1;

-- name: store_webhook
-- ?1 received_at bigint, ?2 digest bytea, ?3 method text, ?4 content_type text, ?5 query text, ?6 body bytea, ?7 ip text, ?8 urgent bigint
INSERT INTO webhook (received_at, last_at, digest, method, content_type, query, body, ip, urgent)
VALUES (?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: read_again
-- ?1 digest bytea, ?2 query text, ?3 body bytea, ?4 urgent bigint
-- A possible reply is read again, because the same STOP may come after a START, without a time to distinguish
-- them. A voided webhook is read again, because its void covered earlier posts only. The statement reads no content,
-- because the collector's database role may not.
UPDATE webhook SET kind = NULL, query = ?2, body = ?3, purged_at = NULL
WHERE digest = ?1 AND (?4 = 1 OR voided_at IS NOT NULL);

-- name: came_again
-- ?1 digest bytea, ?2 received_at bigint, ?3 urgent bigint
UPDATE webhook SET times = times + 1, last_at = max(last_at, ?2), urgent = max(urgent, ?3), voided_at = NULL
WHERE digest = ?1;

-- name: note_trial
-- ?1 now bigint
-- The value differs each time, because SQLite does not write a row that stays the same.
INSERT INTO inbox_trial (n, tried_at) VALUES (1, ?1) ON CONFLICT (n) DO UPDATE SET tried_at = excluded.tried_at;

-- name: new_webhooks
-- ?1 limit bigint
SELECT id AS webhook, iif(urgent = 1, last_at, received_at) AS "receivedAt", method, content_type AS "contentType", query, body, ip
FROM webhook
WHERE kind IS NULL
ORDER BY urgent DESC, id
LIMIT ?1 + 0;

-- name: unread
-- ?1 webhook bigint
-- coalesce keeps Postgres from the index of all unread webhooks, which it would read once for each of these.
SELECT iif(urgent = 1, last_at, received_at) AS "receivedAt", received_at AS "firstAt",
  iif(times > 1 AND EXISTS (SELECT 1 FROM report WHERE report.webhook = ?1), 1, 0) AS counted
FROM webhook
WHERE id = ?1 AND coalesce(kind, 'unread') = 'unread';

-- name: set_kind
-- ?1 webhook bigint, ?2 kind text
UPDATE webhook SET kind = ?2 WHERE id = ?1 AND coalesce(kind, 'unread') = 'unread';
