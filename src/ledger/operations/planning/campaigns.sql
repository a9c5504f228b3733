-- name: campaign
-- ?1 campaign bigint
SELECT * FROM campaign WHERE n = ?1;

-- name: last_seq
-- ?1 campaign bigint
SELECT coalesce(max(seq), 0) AS last FROM message WHERE campaign = ?1;

-- name: latest_named
-- ?1 name text
SELECT c.*, s.settled
FROM campaign AS c JOIN campaign_settled AS s ON s.campaign = c.n
WHERE c.name = ?1 AND c.state <> 'draft'
ORDER BY c.n DESC
LIMIT 1;

-- name: latest_of_contacts
-- ?1 hash_contacts text, ?2 hash_job text, ?3 hash_template text, ?4 since bigint
-- The same files do not count, because they are the same launch. Reminders do not count, because one person
-- may get several. Neither does a campaign that was canceled before its first message.
SELECT *
FROM campaign
WHERE hash_contacts = ?1
  AND NOT (hash_job = ?2 AND hash_template = ?3)
  AND activated_at >= ?4
  AND settings ->> '$.remind' IS NULL
  AND NOT (state = 'canceled' AND last_claim_at IS NULL)
ORDER BY n DESC
LIMIT 1;

-- name: add_upload
-- ?1 campaign bigint, ?2 at bigint, ?3 read bigint, ?4 planned bigint, ?5 unchanged bigint, ?6 duplicate bigint, ?7 invalid bigint, ?8 suppressed bigint
-- Its time is later than the previous upload's, because the time tells which upload is the last.
INSERT INTO upload (campaign, number, at, read, planned, unchanged, duplicate, invalid, suppressed)
SELECT ?1, coalesce(max(number), 0) + 1, max(?2, coalesce(max(at) + 1, ?2)), ?3, ?4, ?5, ?6, ?7, ?8 FROM upload WHERE campaign = ?1
RETURNING number;

-- name: discard
-- ?1 draft bigint
DELETE FROM campaign WHERE n = ?1 AND state = 'draft';

-- name: audit
-- ?1 at bigint, ?2 by text, ?3 verb text, ?4 campaign bigint, ?5 detail text, ?6 asked_from text
INSERT INTO audit (at, by, verb, campaign, detail, asked_from) VALUES (?1, ?2, ?3, ?4, ?5, ?6);

-- name: paused
-- These include campaigns that a person paused; the caller decides which ones it may resume.
SELECT c.*
FROM campaign AS c JOIN campaign_settled AS s ON s.campaign = c.n
WHERE c.state = 'paused' AND NOT s.settled
ORDER BY c.n;
