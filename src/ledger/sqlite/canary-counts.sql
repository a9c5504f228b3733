-- name: canary
-- ?1 campaign
SELECT messages, wait_ms AS waitMs, delivered, verdict, why FROM canary WHERE campaign = ?1;

-- name: counts
-- ?1 campaign, ?2 messages
SELECT count(*) AS messages, count(*) FILTER (WHERE state IN ('queued', 'sending')) AS open,
  count(*) FILTER (WHERE state = 'sent') AS sent, count(*) FILTER (WHERE delivery = 'delivered') AS delivered,
  count(*) FILTER (WHERE delivery = 'undelivered') AS undelivered, count(*) FILTER (WHERE state = 'rejected') AS rejected,
  count(*) FILTER (WHERE state = 'skipped') AS skipped, count(*) FILTER (WHERE state = 'canceled') AS canceled,
  count(*) FILTER (WHERE state = 'uncertain') AS uncertain,
  max(left_at) AS leftAt
FROM message_left WHERE campaign = ?1 AND seq <= ?2;

-- name: worst
-- ?1 campaign, ?2 messages
-- A ledger that never met any failure before knows no word, so none is new to it.
SELECT delivery_reason AS word, count(*) AS count,
  EXISTS (SELECT 1 FROM failure_word WHERE campaign <> ?1)
  AND NOT EXISTS (SELECT 1 FROM failure_word WHERE word = delivery_reason AND campaign <> ?1) AS isNew
FROM message
WHERE campaign = ?1 AND seq <= ?2 AND delivery = 'undelivered' AND delivery_reason IS NOT NULL
GROUP BY delivery_reason
ORDER BY count(*) DESC, delivery_reason
LIMIT 1;
