-- name: page
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint
-- What the counters look at of each message (message-sums.ts).
SELECT seq, state, delivery, delivery_reason AS "deliveryReason", conflict, written_off AS "writtenOff",
  retry_helps AS "retryHelps", reason, network, segments, cost, counted, actor, lost, claimed_at AS "claimedAt",
  settled_at AS "settledAt", reported_at AS "reportedAt", send_ms AS "sendMs"
FROM message WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3
ORDER BY seq
LIMIT ?4 + 0;
