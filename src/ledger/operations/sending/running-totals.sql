-- name: campaign_totals
-- ?1 campaign bigint
SELECT account, state FROM campaign WHERE n = ?1;

-- name: post_campaign
-- ?1 campaign bigint, ?2 spent bigint, ?3 reserved bigint
UPDATE campaign SET spent = spent + ?2, reserved = reserved + ?3 WHERE n = ?1;

-- name: post_account
-- ?1 client_id text, ?2 spent bigint, ?3 assumed bigint, ?4 reserved bigint, ?5 in_flight bigint
UPDATE account
SET spent = spent + ?2, assumed = assumed + ?3, reserved = reserved + ?4, in_flight = in_flight + ?5
WHERE client_id = ?1;

-- name: learn_price
-- ?1 account text, ?2 network text, ?3 segments bigint, ?4 cost bigint, ?5 seen_at bigint
-- One free message does not make other messages free if they were paid.
INSERT INTO price (account, network, segments, cost, seen_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (account, network, segments) DO UPDATE SET cost = excluded.cost, seen_at = excluded.seen_at
WHERE price.cost <> excluded.cost AND excluded.cost > 0;
