-- name: suppressed
-- ?1 mobiles, ?2 sender
-- mobiles: a JSON array. The plus makes one look-up instead of two. Senders match in any case of letters.
SELECT mobile, reason FROM (
  SELECT value AS mobile, CASE
    WHEN EXISTS (SELECT 1 FROM opt_out AS o WHERE o.mobile = value AND (+o.sender = '' OR +o.sender COLLATE NOCASE = ?2)) THEN 'opted out'
    WHEN EXISTS (SELECT 1 FROM dead_number AS d WHERE d.mobile = value) THEN 'dead number'
  END AS reason
  FROM json_each(?1)
)
WHERE reason IS NOT NULL;

-- name: anyone
SELECT 1 FROM opt_out UNION ALL SELECT 1 FROM dead_number LIMIT 1;

-- name: is_dead
-- ?1 mobile
SELECT 1 FROM dead_number WHERE mobile = ?1;

-- name: is_in_doubt
-- ?1 mobile
SELECT 1 FROM reply_in_doubt WHERE mobile = ?1 LIMIT 1;

-- name: in_doubt
-- ?1 reply
SELECT r.mobile, r.text, r.addressee FROM reply_in_doubt AS d JOIN reply AS r ON r.id = d.id WHERE d.id = ?1;

-- name: add_event
-- ?1 at, ?2 mobile, ?3 sender, ?4 change, ?5 source, ?6 by, ?7 evidence, ?8 webhook, ?9 voids, ?10 asked_from
INSERT INTO opt_out_event (at, mobile, sender, change, source, by, evidence, webhook, voids, asked_from)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10);

-- name: asked
-- ?1 mobile
-- The wishes that still count. Learned events are only for people, because their effect is computed.
SELECT at, sender, change, source, evidence
FROM opt_out_event
WHERE mobile = ?1 AND change <> 'voided' AND source NOT IN ('report', 'learned')
  AND id NOT IN (SELECT voids FROM opt_out_event WHERE mobile = ?1 AND voids IS NOT NULL)
ORDER BY at, id;

-- name: latest_at
-- ?1 mobile
SELECT max(
  (SELECT coalesce(max(at), 0) FROM opt_out_event WHERE mobile = ?1),
  (SELECT coalesce(max(at), 0) FROM failure WHERE mobile = ?1)
) AS at;

-- name: returned_at
-- ?1 mobile, ?2 webhook
SELECT coalesce(max(at), 0) AS at FROM opt_out_event
WHERE mobile = ?1 AND change = 'removed' AND source = 'reply' AND webhook < ?2
  AND id NOT IN (SELECT voids FROM opt_out_event WHERE mobile = ?1 AND voids IS NOT NULL);

-- name: asked_by_webhook
-- ?1 webhook
SELECT id, mobile, sender, source FROM opt_out_event AS e
WHERE webhook = ?1 AND change <> 'voided'
  AND NOT EXISTS (SELECT 1 FROM opt_out_event AS v WHERE v.mobile = e.mobile AND v.voids = e.id);

-- name: failures_of
-- ?1 mobile
-- The sender of the message, which may differ from the campaign's present sender.
SELECT c.id AS campaign, f.effect, f.at, coalesce((
  SELECT s.sender FROM former_sender AS s JOIN message AS m ON m.campaign = f.campaign AND m.seq = f.seq
  WHERE s.campaign = f.campaign AND s.until > m.claimed_at ORDER BY s.until LIMIT 1
), c.sender) AS sender
FROM failure AS f JOIN campaign AS c ON c.n = f.campaign
WHERE f.mobile = ?1
ORDER BY f.at, f.campaign, f.seq;

-- name: any_failure
-- ?1 mobile
SELECT 1 FROM failure WHERE mobile = ?1 LIMIT 1;

-- name: set_failure
-- ?1 mobile, ?2 campaign, ?3 seq, ?4 effect, ?5 at
INSERT INTO failure (mobile, campaign, seq, effect, at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO UPDATE SET effect = excluded.effect, at = excluded.at;

-- name: drop_failure
-- ?1 mobile, ?2 campaign, ?3 seq
DELETE FROM failure WHERE mobile = ?1 AND campaign = ?2 AND seq = ?3;

-- name: alive_at
-- ?1 mobile
-- One look-up per campaign; called only for numbers that would count as dead.
SELECT max(at) AS at FROM (
  SELECT m.reported_at AS at
  FROM campaign AS c CROSS JOIN identity AS i ON i.campaign = c.n AND i.mobile = ?1
  CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq
  WHERE m.delivery = 'delivered'
  UNION ALL
  SELECT received_at FROM reply WHERE mobile = ?1 AND voided_at IS NULL
);

-- name: opt_outs_of
-- ?1 mobile
SELECT sender, source, at, evidence FROM opt_out WHERE mobile = ?1;

-- name: set_opt_out
-- ?1 mobile, ?2 sender, ?3 source, ?4 at, ?5 evidence
INSERT INTO opt_out (mobile, sender, source, at, evidence) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO UPDATE SET source = excluded.source, at = excluded.at, evidence = excluded.evidence;

-- name: drop_opt_out
-- ?1 mobile, ?2 sender
DELETE FROM opt_out WHERE mobile = ?1 AND sender = ?2;

-- name: write_down_again
-- ?1 mobile
-- A repetition from a list (sayAgain) is only in opt_out until then.
INSERT INTO opt_out_event (at, mobile, sender, change, source, by, evidence)
SELECT at, mobile, sender, 'added', source, source, evidence FROM opt_out AS o
WHERE mobile = ?1 AND source = 'import' AND NOT EXISTS (
  SELECT 1 FROM opt_out_event AS e WHERE e.mobile = ?1 AND e.sender = o.sender AND e.change = 'added' AND e.at >= o.at
);

-- name: set_dead
-- ?1 mobile, ?2 at, ?3 evidence
INSERT INTO dead_number (mobile, at, evidence) VALUES (?1, ?2, ?3)
ON CONFLICT DO UPDATE SET at = excluded.at, evidence = excluded.evidence;

-- name: drop_dead
-- ?1 mobile
DELETE FROM dead_number WHERE mobile = ?1;
