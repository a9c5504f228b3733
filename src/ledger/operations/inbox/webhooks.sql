-- name: store_webhook
-- ?1 received_at bigint, ?2 digest bytea, ?3 method text, ?4 content_type text, ?5 query text, ?6 body bytea, ?7 ip text, ?8 urgent bigint
INSERT INTO webhook (received_at, last_at, digest, method, content_type, query, body, ip, urgent)
VALUES (?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
-- A possible reply is read again, because the same STOP may come after a START, without a time to distinguish
-- them. A voided webhook is read again, because its void covered earlier posts only.
ON CONFLICT (digest) DO UPDATE SET times = webhook.times + 1, last_at = max(webhook.last_at, excluded.last_at),
  urgent = max(webhook.urgent, excluded.urgent), voided_at = NULL, (kind, query, body, purged_at) = (
    SELECT iif(again, NULL, webhook.kind), iif(again, excluded.query, webhook.query),
      CASE WHEN again THEN excluded.body ELSE webhook.body END, iif(again, NULL, webhook.purged_at)
    FROM (SELECT excluded.urgent = 1 OR webhook.voided_at IS NOT NULL AS again) AS look
  );

-- name: note_trial
-- ?1 now text
-- The value differs each time, because SQLite does not write a row that stays the same.
INSERT INTO fact (name, value) VALUES ('inbox_tried_at', CAST(?1 AS text)) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: new_webhooks
-- ?1 limit bigint
SELECT id AS webhook, iif(urgent = 1, last_at, received_at) AS "receivedAt", method, content_type AS "contentType", query, body, ip
FROM webhook
WHERE kind IS NULL
ORDER BY urgent DESC, id
LIMIT ?1 + 0;

-- name: unread
-- ?1 webhook bigint
SELECT iif(urgent = 1, last_at, received_at) AS "receivedAt", received_at AS "firstAt",
  iif(times > 1 AND EXISTS (SELECT 1 FROM report WHERE report.webhook = ?1), 1, 0) AS counted
FROM webhook
WHERE id = ?1 AND kind IS NULL;

-- name: set_kind
-- ?1 webhook bigint, ?2 kind text
UPDATE webhook SET kind = ?2 WHERE id = ?1 AND kind IS NULL;
