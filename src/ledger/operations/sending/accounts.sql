-- name: add_account
-- ?1 client_id text
INSERT INTO account (client_id) VALUES (?1) ON CONFLICT DO NOTHING;

-- name: totals
-- ?1 account text, or null for all
SELECT client_id AS account, spent + assumed AS "spentMicro", assumed AS "assumedMicro", reserved AS "reservedMicro",
  in_flight AS "inFlight", claims
FROM account WHERE ?1 IS NULL OR client_id = ?1;

-- name: reserved_messages
-- ?1 account text, ?2 settled_before bigint
-- A reading covers verdicts before its call, because their charges are in its credit or never come.
SELECT m.campaign, m.seq, m.reserved
FROM message AS m INDEXED BY message_held JOIN campaign AS c ON c.n = m.campaign
WHERE m.state = 'uncertain' AND m.reserved > 0 AND m.settled_at < ?2 AND c.account = ?1;

-- name: release_reservation
-- ?1 campaign bigint, ?2 seq bigint
UPDATE message SET reserved = 0 WHERE campaign = ?1 AND seq = ?2;

-- name: add_reading
-- ?1 account text, ?2 at bigint, ?3 credit bigint, ?4 spent bigint, ?5 quiet bigint
INSERT INTO reading (account, at, credit, spent, quiet) VALUES (?1, ?2, ?3, ?4, ?5);

-- name: post_release
-- ?1 account text, ?2 released bigint
-- From now on it is assumed, so that a claim by an older reading cannot spend it again.
UPDATE account SET reserved = reserved - ?2, assumed = assumed + ?2 WHERE client_id = ?1;

-- name: known_prices
-- ?1 account text, ?2 free to believe bigint
-- For an account that never paid, zero is a price only after this many messages; fewer may be a gift.
SELECT network, segments, cost AS "costMicro" FROM price AS p
WHERE (?1 IS NULL OR account = ?1)
  AND (cost > 0 OR EXISTS (SELECT 1 FROM price WHERE account = p.account AND cost > 0)
    OR ?2 <= (
      SELECT count(*) FROM (
        SELECT 1 FROM campaign AS c JOIN message AS m ON m.campaign = c.n WHERE c.account = p.account AND m.cost = 0 LIMIT ?2 + 0
      ) AS free
    ))
ORDER BY seen_at DESC;
