-- name: campaign_totals
-- ?1 campaign
SELECT account, state FROM campaign WHERE n = ?1;

-- name: post_campaign
-- ?1 campaign, ?2 spent, ?3 reserved
UPDATE campaign SET spent = spent + ?2, reserved = reserved + ?3 WHERE n = ?1;

-- name: post_account
-- ?1 client_id, ?2 spent, ?3 assumed, ?4 reserved, ?5 in_flight
UPDATE account
SET spent = spent + ?2, assumed = assumed + ?3, reserved = reserved + ?4, in_flight = in_flight + ?5
WHERE client_id = ?1;

-- name: learn_price
-- ?1 account, ?2 network, ?3 segments, ?4 cost, ?5 seen_at
-- One free message does not make other messages free if they were paid.
INSERT INTO price (account, network, segments, cost, seen_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO UPDATE SET cost = excluded.cost, seen_at = excluded.seen_at
WHERE cost <> excluded.cost AND excluded.cost > 0;
