-- name: set_calendar
-- ?1 account text, ?2 slot_origin float8, ?3 slot_spacing float8, ?4 slots bytea
UPDATE account SET slot_origin = ?2, slot_spacing = ?3, slots = ?4 WHERE client_id = ?1;

-- name: set_next_slot
-- ?1 campaign bigint, ?2 next_slot float8, ?3 slot_slack float8
UPDATE campaign SET next_slot = ?2, slot_slack = ?3 WHERE n = ?1;

-- name: rates
-- ?1 campaign bigint, ?2 account text
SELECT a.client_id AS account, c.rate, c.next_slot AS "nextSlot", c.slot_slack AS "slackMs", c.last_claim_at AS "lastClaimAt",
  a.slot_origin AS origin, a.slot_spacing AS spacing, a.slots AS taken
FROM campaign AS c JOIN account AS a ON a.client_id = ?2
WHERE c.n = ?1;
