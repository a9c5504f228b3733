-- name: lease
-- ?1 batch bigint, ?2 epoch bigint, ?3 worker bigint, ?4 now bigint
-- The lease, its campaign and its account in one row; no row when the worker may not send under this lease.
-- `under_way`: a message of the campaign is in flight that may have no reservation. CROSS JOIN keeps the order there: a
-- campaign may have a million messages, but few open leased batches.
SELECT b.campaign, b.first_seq, b.last_seq, c.sender, c.settings ->> '$.guard' AS guard, c.hash_job AS job,
  c.hash_template AS template, c.hash_contacts AS contacts,
  c.kind = 'promotional' AND EXISTS (SELECT 1 FROM opt_out) AS honours_opt_outs,
  c.rate, c.next_slot AS "nextSlot", c.slot_slack AS "slackMs", c.last_claim_at AS "lastClaimAt",
  c.budget, c.spent AS campaign_spent, c.reserved AS campaign_reserved,
  CASE WHEN c.budget IS NOT NULL AND c.reserved = 0 AND a.in_flight > 0 THEN EXISTS (
    SELECT 1
    FROM batch AS o CROSS JOIN message AS m ON m.campaign = o.campaign AND m.seq BETWEEN o.first_seq AND o.last_seq
    WHERE o.campaign = c.n AND o.settled_at IS NULL AND o.epoch > 0 AND m.state = 'sending'
  ) ELSE FALSE END AS under_way,
  (SELECT max((p.cost + p.segments - 1) / p.segments) FROM price AS p WHERE p.account = a.client_id AND p.cost > 0) AS paid_price,
  nullif(c.price, 0) AS launch_price,
  a.client_id AS account, a.spent + a.assumed AS spent, a.reserved, a.in_flight,
  a.slot_origin AS origin, a.slot_spacing AS spacing, a.slots AS taken
FROM batch AS b JOIN campaign AS c ON c.n = b.campaign JOIN account AS a ON a.client_id = c.account
WHERE b.id = ?1 AND b.epoch = ?2 AND b.worker = ?3 AND b.lease_until > ?4 AND c.state = 'running';

-- name: sendable
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 now bigint, ?5 limit bigint
-- The + 0, here and elsewhere: with a bare parameter of LIMIT, SQLite compiles the statement at each binding.
SELECT seq, mobile, fields, segments, attempt + 1, tries, text_hash
FROM message
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'queued' AND not_before <= ?4
ORDER BY seq
LIMIT ?5 + 0;

-- name: opted_out
-- ?1 mobile text, ?2 campaign bigint, ?3 seq bigint, ?4 sender text
-- A person who opted out with one phone is not written to on another. An empty sender means every sender. Upper and
-- lower case are equal, because people type senders. The plus makes one look-up by the number instead of two.
SELECT 1 AS found FROM opt_out
WHERE mobile IN (SELECT ?1 UNION ALL SELECT n.mobile FROM other_number AS n WHERE n.campaign = ?2 AND n.seq = ?3)
  AND (+sender = '' OR lower(+sender) = lower(?4))
LIMIT 1;

-- name: skip
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint, ?4 reason text
-- counted: seq
UPDATE message SET state = 'skipped', actor = 'claimer', reason = ?4, settled_at = ?3
WHERE campaign = ?1 AND seq = ?2 AND state = 'queued';

-- name: begin_attempts
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 now bigint, ?5 worker bigint, ?6 price bigint
-- counted: told
-- Exactly the rows of `sendable` for this range in this transaction, without those just skipped.
UPDATE message
SET state = 'sending', actor = 'claimer', reason = NULL, attempt = attempt + 1, worker = ?5, reserved = segments * ?6,
  claimed_at = ?4
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'queued' AND not_before <= ?4;

-- name: count_claim
-- ?1 worker bigint, ?2 claim_number bigint
UPDATE worker SET claims = max(claims, ?2) WHERE id = ?1;

-- name: reserve_in_campaign
-- ?1 campaign bigint, ?2 reserved bigint, ?3 next_slot float8, ?4 last_claim_at bigint, ?5 slot_slack float8
UPDATE campaign
SET reserved = reserved + ?2, next_slot = ?3, slot_slack = ?5,
  first_claim_at = coalesce(first_claim_at, ?4), last_claim_at = ?4
WHERE n = ?1;

-- name: reserve_in_account
-- ?1 client_id text, ?2 reserved bigint, ?3 count bigint
UPDATE account SET reserved = reserved + ?2, in_flight = in_flight + ?3, claims = claims + ?3 WHERE client_id = ?1;
