-- name: suppressed
-- ?1 mobiles text, ?2 sender text
-- mobiles: a JSON array. The plus makes one look-up instead of two. Senders match in any case of letters.
SELECT mobile, reason FROM (
  SELECT value AS mobile, CASE
    WHEN EXISTS (SELECT 1 FROM opt_out AS o WHERE o.mobile = value AND (+o.sender = '' OR lower(+o.sender) = lower(?2))) THEN 'opted out'
    WHEN EXISTS (SELECT 1 FROM dead_number AS d WHERE d.mobile = value) THEN 'dead number'
  END AS reason
  FROM json_each(?1)
) AS found
WHERE reason IS NOT NULL;

-- name: anyone
SELECT 1 FROM opt_out UNION ALL SELECT 1 FROM dead_number LIMIT 1;

-- name: is_dead
-- ?1 mobile text
SELECT 1 AS dead FROM dead_number WHERE mobile = ?1;

-- name: is_in_doubt
-- ?1 mobile text
SELECT 1 AS "inDoubt" FROM reply_in_doubt WHERE mobile = ?1 LIMIT 1;

-- name: in_doubt
-- ?1 reply bigint
SELECT r.mobile, r.text, r.addressee FROM reply_in_doubt AS d JOIN reply AS r ON r.id = d.id WHERE d.id = ?1;

-- name: add_event
-- ?1 at bigint, ?2 mobile text, ?3 sender text, ?4 change text, ?5 source text, ?6 by text, ?7 evidence text, ?8 webhook bigint, ?9 voids bigint
INSERT INTO opt_out_event (at, mobile, sender, change, source, by, evidence, webhook, voids)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9);

-- name: asked
-- ?1 mobiles text
-- mobiles: a JSON array. The wishes that still count. Learned events are only for people, because their effect is computed.
SELECT e.mobile, e.at, e.sender, e.change, e.source, e.evidence
FROM json_each(?1) AS n CROSS JOIN opt_out_event AS e ON e.mobile = n.value
WHERE e.change <> 'voided' AND e.source NOT IN ('report', 'learned')
  AND NOT EXISTS (SELECT 1 FROM opt_out_event AS v WHERE v.mobile = e.mobile AND v.voids = e.id)
ORDER BY e.at, e.id;

-- name: latest_at
-- ?1 mobile text
SELECT max(
  (SELECT coalesce(max(at), 0) FROM opt_out_event WHERE mobile = ?1),
  (SELECT coalesce(max(at), 0) FROM failure WHERE mobile = ?1)
) AS at;

-- name: returned_at
-- ?1 mobile text, ?2 webhook bigint
SELECT coalesce(max(at), 0) AS at FROM opt_out_event
WHERE mobile = ?1 AND change = 'removed' AND source = 'reply' AND webhook < ?2
  AND id NOT IN (SELECT voids FROM opt_out_event WHERE mobile = ?1 AND voids IS NOT NULL);

-- name: asked_by_webhook
-- ?1 webhook bigint
SELECT id, mobile, sender, source FROM opt_out_event AS e
WHERE webhook = ?1 AND change <> 'voided'
  AND NOT EXISTS (SELECT 1 FROM opt_out_event AS v WHERE v.mobile = e.mobile AND v.voids = e.id);

-- name: failures_of
-- ?1 mobiles text
-- mobiles: a JSON array. The sender of the message, which may differ from the campaign's present sender.
SELECT f.mobile, c.id AS campaign, f.effect, f.at, coalesce((
  SELECT s.sender FROM former_sender AS s JOIN message AS m ON m.campaign = f.campaign AND m.seq = f.seq
  WHERE s.campaign = f.campaign AND s.until > m.claimed_at ORDER BY s.until LIMIT 1
), c.sender) AS sender
FROM json_each(?1) AS n CROSS JOIN failure AS f ON f.mobile = n.value CROSS JOIN campaign AS c ON c.n = f.campaign
ORDER BY f.at, f.campaign, f.seq;

-- name: failing
-- ?1 mobile text, ?2 campaign bigint, ?3 seq bigint
-- Whether this message is one of the number's failures; null: the number has none.
SELECT max(CASE WHEN campaign = ?2 AND seq = ?3 THEN 1 ELSE 0 END) AS own FROM failure WHERE mobile = ?1;

-- name: set_failure
-- ?1 mobile text, ?2 campaign bigint, ?3 seq bigint, ?4 effect text, ?5 at bigint
INSERT INTO failure (mobile, campaign, seq, effect, at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (mobile, campaign, seq) DO UPDATE SET effect = excluded.effect, at = excluded.at;

-- name: drop_failure
-- ?1 mobile text, ?2 campaign bigint, ?3 seq bigint
DELETE FROM failure WHERE mobile = ?1 AND campaign = ?2 AND seq = ?3;

-- name: alive_at
-- ?1 mobile text
-- One look-up per campaign; called only for numbers that would count as dead.
SELECT max(at) AS at FROM (
  SELECT m.reported_at AS at
  FROM campaign AS c CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = c.n AND m.mobile = ?1
  WHERE m.delivery = 'delivered'
  UNION ALL
  SELECT received_at FROM reply WHERE mobile = ?1 AND voided_at IS NULL
) AS signs;

-- name: opt_outs_of
-- ?1 mobiles text
-- mobiles: a JSON array.
SELECT s.mobile, s.sender, s.source, s.at, s.evidence
FROM json_each(?1) AS n CROSS JOIN opt_out AS s ON s.mobile = n.value
ORDER BY s.mobile, s.sender;

-- name: set_opt_out
-- ?1 mobile text, ?2 sender text, ?3 source text, ?4 at bigint, ?5 evidence text
INSERT INTO opt_out (mobile, sender, source, at, evidence) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (mobile, sender) DO UPDATE SET source = excluded.source, at = excluded.at, evidence = excluded.evidence;

-- name: drop_opt_out
-- ?1 mobile text, ?2 sender text
DELETE FROM opt_out WHERE mobile = ?1 AND sender = ?2;

-- name: write_down_again
-- ?1 mobile text
-- A repetition from a list (sayAgain) is only in opt_out until then.
INSERT INTO opt_out_event (at, mobile, sender, change, source, by, evidence)
SELECT s.at, s.mobile, s.sender, 'added' AS change, s.source, s.source AS by, s.evidence FROM opt_out AS s
WHERE s.mobile = ?1 AND s.source = 'import' AND NOT EXISTS (
  SELECT 1 FROM opt_out_event AS e WHERE e.mobile = ?1 AND e.sender = s.sender AND e.change = 'added' AND e.at >= s.at
);

-- name: set_dead
-- ?1 mobile text, ?2 at bigint, ?3 evidence text
INSERT INTO dead_number (mobile, at, evidence) VALUES (?1, ?2, ?3)
ON CONFLICT (mobile) DO UPDATE SET at = excluded.at, evidence = excluded.evidence;

-- name: drop_dead
-- ?1 mobile text
DELETE FROM dead_number WHERE mobile = ?1;
