-- name: network_of
-- ?1 mobile text
-- The network of the number's own last message, because numbers are ported; the latest campaigns come first.
SELECT earlier.network
FROM (SELECT n, last_claim_at FROM campaign WHERE last_claim_at IS NOT NULL ORDER BY last_claim_at DESC, n DESC LIMIT 8) AS c
CROSS JOIN message AS earlier INDEXED BY message_identity ON earlier.campaign = c.n AND earlier.mobile = ?1
WHERE earlier.network IS NOT NULL
ORDER BY c.last_claim_at DESC, c.n DESC, earlier.seq
LIMIT 1;

-- name: mobile_of
-- ?1 campaign bigint, ?2 seq bigint
SELECT mobile FROM message WHERE campaign = ?1 AND seq = ?2;

-- name: holds_of_claim
-- ?1 campaign bigint
SELECT network, cause, state = 'probing' AS probing, probes,
  (SELECT count(*) FROM network_probe AS p WHERE p.campaign = h.campaign AND p.network = h.network AND takes_place) AS taken
FROM network_hold AS h WHERE campaign = ?1 AND state IN ('held', 'probing');

-- name: hold_message
-- ?1 campaign bigint, ?2 seq bigint, ?3 not_before bigint
-- counted: nothing, because it stays queued
UPDATE message SET not_before = ?3, reason = 'network held' WHERE campaign = ?1 AND seq = ?2 AND state = 'queued';

-- name: note_held
-- ?1 campaign bigint, ?2 network text, ?3 seq bigint
INSERT INTO network_held (campaign, network, seq) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING;

-- name: set_probes
-- ?1 campaign bigint, ?2 network text, ?3 probes text, ?4 until bigint
UPDATE network_hold SET probes = ?3, until = ?4 WHERE campaign = ?1 AND network = ?2;
