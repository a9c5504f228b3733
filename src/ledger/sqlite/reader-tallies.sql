-- name: tally
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 unreported_before
-- One pass over the rows. The aggregate is JavaScript (reader-tallies.ts), because SQLite would sort the
-- rows.
-- The first argument: state + 8 * delivery (3: unreported) + 32 * conflict + 64 * retry_helps + 128 *
-- written_off.
SELECT tally(
  CASE state
    WHEN 'sent' THEN 2 WHEN 'queued' THEN 0 WHEN 'rejected' THEN 3 WHEN 'uncertain' THEN 4
    WHEN 'sending' THEN 1 WHEN 'skipped' THEN 5 ELSE 6
  END
  + CASE delivery
      WHEN 'delivered' THEN 16 WHEN 'undelivered' THEN 8
      WHEN 'pending' THEN CASE WHEN left_at < ?4 THEN 24 ELSE 0 END ELSE 0
    END
  + 32 * conflict + 64 * retry_helps + 128 * written_off,
  segments, cost, counted, network, left_at,
  CASE
    WHEN state = 'sent' THEN CASE WHEN delivery = 'undelivered' THEN coalesce(delivery_reason, '') END
    WHEN state IN ('rejected', 'uncertain', 'skipped', 'canceled') THEN coalesce(reason, '')
  END)
FROM message_left
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3;

-- name: latencies
-- ?1 campaign, ?2 first_seq, ?3 last_seq
SELECT latencies(send_ms, CASE WHEN delivery <> 'pending' THEN reported_at - left_at END)
FROM message_left
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'sent';
