-- name: campaign
-- ?1 campaign
SELECT * FROM campaign WHERE n = ?1;

-- name: last_seq
-- ?1 campaign
SELECT coalesce(max(seq), 0) AS last FROM message WHERE campaign = ?1;

-- name: latest_named
-- ?1 name
-- What corrected contacts bring is to come yet.
SELECT c.*, s.settled AND c.n NOT IN (SELECT campaign FROM applying) AS settled
FROM campaign AS c JOIN campaign_settled AS s ON s.campaign = c.n
WHERE c.name = ?1 AND c.state <> 'draft'
ORDER BY c.n DESC
LIMIT 1;

-- name: latest_alike
-- ?1 hash_contacts, ?2 hash_job, ?3 hash_template, ?4 since, ?5 name
-- The latest campaign of the same contacts, or the last of this name if it was canceled, because its contacts were mended then.
-- It is open, or was launched or sent since. Launches of the very same files, reminders, recurring jobs themselves, and campaigns
-- that were canceled before their first message do not count.
SELECT c.*
FROM campaign AS c JOIN campaign_settled AS s ON s.campaign = c.n
WHERE (
    c.hash_contacts = ?1
    OR (c.state = 'canceled' AND c.n = (SELECT max(n) FROM campaign WHERE name = ?5 AND state <> 'draft'))
  )
  AND NOT (c.hash_contacts = ?1 AND c.hash_job = ?2 AND c.hash_template = ?3)
  AND c.state <> 'draft' AND c.settings ->> '$.remind' IS NULL
  AND NOT (c.state = 'canceled' AND c.last_claim_at IS NULL)
  AND (max(c.activated_at, coalesce(c.last_claim_at, 0)) >= ?4 OR (NOT s.settled AND c.settings ->> '$.every' IS NULL))
ORDER BY c.n DESC
LIMIT 1;

-- name: audit
-- ?1 at, ?2 by, ?3 verb, ?4 campaign, ?5 detail
INSERT INTO audit (at, by, verb, campaign, detail) VALUES (?1, ?2, ?3, ?4, ?5);

-- name: paused
-- These include campaigns that a person paused: the caller decides which ones it may wake.
SELECT c.*
FROM campaign AS c JOIN campaign_settled AS s ON s.campaign = c.n
WHERE c.state = 'paused' AND NOT s.settled
ORDER BY c.n;
