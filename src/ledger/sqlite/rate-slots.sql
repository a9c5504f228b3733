-- name: set_calendar
-- ?1 account, ?2 slot_origin, ?3 slot_spacing, ?4 slots
UPDATE account SET slot_origin = ?2, slot_spacing = ?3, slots = ?4 WHERE client_id = ?1;

-- name: set_next_slot
-- ?1 campaign, ?2 next_slot, ?3 slot_slack
UPDATE campaign SET next_slot = ?2, slot_slack = ?3 WHERE n = ?1;

-- name: rates
-- ?1 campaign, ?2 account
SELECT a.client_id AS account, c.rate, c.next_slot, c.slot_slack, c.last_claim_at,
  a.slot_origin, a.slot_spacing, a.slots
FROM campaign AS c JOIN account AS a ON a.client_id = ?2
WHERE c.n = ?1;
