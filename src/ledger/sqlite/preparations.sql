-- name: create
-- ?1 id, ?2 owner, ?3 editors, ?4 job, ?5 now, ?6 request_key, ?7 request_digest
INSERT INTO preparation (id, revision, state, owner, editors, job, created_at, changed_at, request_key, request_digest)
VALUES (?1, 1, 'open', ?2, ?3, ?4, ?5, ?5, ?6, ?7);

-- name: one
-- ?1 id
SELECT * FROM preparation WHERE id = ?1;

-- name: of_key
-- ?1 request_key
SELECT * FROM preparation WHERE request_key = ?1;

-- name: of_campaign
-- ?1 the id of a campaign
SELECT * FROM preparation WHERE campaign = ?1 ORDER BY created_at DESC LIMIT 1;

-- name: open_ones
SELECT * FROM preparation WHERE state IN ('open', 'asked') ORDER BY changed_at DESC, id;

-- name: change
-- ?1 id, ?2 revision, ?3 job, ?4 contacts, ?5 editors, ?6 now
UPDATE preparation
SET revision = revision + 1, state = 'open', job = coalesce(?3, job), contacts = coalesce(?4, contacts), editors = ?5,
  plan = NULL, process = NULL, asked_by = NULL, asked_at = NULL, refused = NULL, changed_at = ?6
WHERE id = ?1 AND revision = ?2 AND state IN ('open', 'asked');

-- name: begin_planning
-- ?1 id, ?2 revision, ?3 process, ?4 plan, ?5 the dead process
UPDATE preparation SET process = ?3, plan = ?4
WHERE id = ?1 AND revision = ?2 AND state IN ('open', 'asked') AND (process IS NULL OR process = ?5);

-- name: record_plan
-- ?1 id, ?2 revision, ?3 process, ?4 plan
UPDATE preparation SET process = NULL, plan = ?4
WHERE id = ?1 AND revision = ?2 AND state IN ('open', 'asked') AND process = ?3;

-- name: ask
-- ?1 id, ?2 revision, ?3 by, ?4 now
UPDATE preparation SET revision = revision + 1, state = 'asked', asked_by = ?3, asked_at = ?4, changed_at = ?4
WHERE id = ?1 AND revision = ?2 AND state = 'open' AND plan IS NOT NULL AND process IS NULL AND refused IS NULL;

-- name: refuse
-- ?1 id, ?2 revision, ?3 reason, ?4 now
UPDATE preparation SET revision = revision + 1, state = 'open', asked_by = NULL, asked_at = NULL, refused = ?3,
  process = NULL, changed_at = ?4
WHERE id = ?1 AND revision = ?2 AND state = 'asked';

-- name: launched
-- ?1 id, ?2 revision, ?3 process, ?4 campaign, ?5 now
UPDATE preparation SET state = 'launched', campaign = ?4, process = NULL, changed_at = ?5
WHERE id = ?1 AND revision = ?2 AND process = ?3 AND state IN ('open', 'asked') AND refused IS NULL;

-- name: to_end
-- ?1 id, ?2 revision; or ?3 an instant. Those that wait for a person's answer never end by themselves.
SELECT id FROM preparation
WHERE (id = ?1 AND revision = ?2 AND state IN ('open', 'asked')) OR (changed_at < ?3 AND state = 'open');

-- name: end_one
-- ?1 id, ?2 now
UPDATE preparation SET state = 'discarded', plan = NULL, process = NULL, changed_at = ?2 WHERE id = ?1;

-- name: launched_since
-- ?1 contacts, ?2 audit row: a campaign of the same contacts that did not exist when this launch looked.
SELECT c.id, c.name
FROM campaign AS c JOIN audit AS a ON a.campaign = c.n AND a.verb = 'launch' AND a.id > ?2
WHERE c.hash_contacts = ?1
LIMIT 1;

-- name: tests_of
-- ?1 by, ?2 since
SELECT count(*) AS tests FROM audit
WHERE verb = 'launch' AND by = ?1 AND at > ?2 AND json_extract(detail, '$.isTest') = 1;

-- name: set_approval
-- ?1 on or off
INSERT INTO fact (name, value) VALUES ('approval', ?1)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: approval
SELECT value FROM fact WHERE name = 'approval';
