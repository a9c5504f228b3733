-- name: network_of
-- ?1 mobile text
-- The network of the number's own last message, because numbers are ported; the latest campaigns come first.
SELECT earlier.network
FROM (SELECT n FROM campaign WHERE last_claim_at IS NOT NULL ORDER BY last_claim_at DESC LIMIT 8) AS c
CROSS JOIN identity AS i ON i.campaign = c.n AND i.mobile = ?1
CROSS JOIN message AS earlier ON earlier.campaign = i.campaign AND earlier.seq = i.seq
WHERE earlier.network IS NOT NULL
LIMIT 1;

-- name: mobile_of
-- ?1 campaign bigint, ?2 seq bigint
SELECT mobile FROM message WHERE campaign = ?1 AND seq = ?2;

-- name: holds_of_claim
-- ?1 campaign bigint
SELECT network, cause, state = 'probing' AS probing,
  (SELECT count(*) FROM network_probe AS p WHERE p.campaign = h.campaign AND p.network = h.network AND takes_place) AS taken
FROM network_hold AS h WHERE campaign = ?1 AND state IN ('held', 'probing');

-- name: hold_message
-- ?1 campaign bigint, ?2 seq bigint, ?3 not_before bigint
-- counted: nothing, because it stays queued
UPDATE message SET not_before = ?3, reason = 'network held' WHERE campaign = ?1 AND seq = ?2 AND state = 'queued';

-- name: note_held
-- ?1 campaign bigint, ?2 network text, ?3 seq bigint
INSERT INTO network_held (campaign, network, seq) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING;

-- name: add_probe
-- ?1 campaign bigint, ?2 network text, ?3 seq bigint, ?4 until bigint
-- A probe that was put back and claimed again is in the list already.
UPDATE network_hold
SET probes = CASE WHEN EXISTS (SELECT 1 FROM json_each(probes) WHERE CAST(value AS bigint) = ?3) THEN probes ELSE json_insert(probes, '$[#]', ?3) END,
  until = ?4
WHERE campaign = ?1 AND network = ?2;
