-- name: create
-- ?1 id text, ?2 owner text, ?3 editors text, ?4 job text, ?5 now bigint, ?6 request_key text, ?7 request_digest text
INSERT INTO preparation (id, revision, state, owner, editors, job, created_at, changed_at, request_key, request_digest)
VALUES (?1, 1, 'open', ?2, ?3, ?4, ?5, ?5, ?6, ?7);

-- name: one
-- ?1 id text
SELECT * FROM preparation_listed WHERE id = ?1;

-- name: of_key
-- ?1 request_key text
SELECT * FROM preparation_listed WHERE "requestKey" = ?1;

-- name: of_campaign
-- ?1 the id of a campaign text
SELECT * FROM preparation_listed WHERE campaign = ?1 ORDER BY "createdAt" DESC LIMIT 1;

-- name: open_ones
SELECT * FROM preparation_listed WHERE state IN ('open', 'asked') ORDER BY "changedAt" DESC, id;

-- name: change
-- ?1 id text, ?2 revision bigint, ?3 job text, ?4 contacts text, ?5 editors text, ?6 now bigint
UPDATE preparation
SET revision = revision + 1, state = 'open', job = coalesce(?3, job), contacts = coalesce(?4, contacts), editors = ?5,
  plan = NULL, process = NULL, asked_by = NULL, asked_at = NULL, refused = NULL, changed_at = ?6
WHERE id = ?1 AND revision = ?2 AND state IN ('open', 'asked');

-- name: begin_planning
-- ?1 id text, ?2 revision bigint, ?3 process text, ?4 plan text, ?5 the dead process text
UPDATE preparation SET process = ?3, plan = ?4
WHERE id = ?1 AND revision = ?2 AND state IN ('open', 'asked') AND (process IS NULL OR process = ?5);

-- name: record_plan
-- ?1 id text, ?2 revision bigint, ?3 process text, ?4 plan text
UPDATE preparation SET process = NULL, plan = ?4
WHERE id = ?1 AND revision = ?2 AND state IN ('open', 'asked') AND process = ?3;

-- name: ask
-- ?1 id text, ?2 revision bigint, ?3 by text, ?4 now bigint
UPDATE preparation SET revision = revision + 1, state = 'asked', asked_by = ?3, asked_at = ?4, changed_at = ?4
WHERE id = ?1 AND revision = ?2 AND state = 'open' AND plan IS NOT NULL AND process IS NULL AND refused IS NULL;

-- name: refuse
-- ?1 id text, ?2 revision bigint, ?3 reason text, ?4 now bigint
UPDATE preparation SET revision = revision + 1, state = 'open', asked_by = NULL, asked_at = NULL, refused = ?3,
  process = NULL, changed_at = ?4
WHERE id = ?1 AND revision = ?2 AND state = 'asked';

-- name: launched
-- ?1 id text, ?2 revision bigint, ?3 process text, ?4 campaign text, ?5 now bigint
UPDATE preparation SET state = 'launched', campaign = ?4, process = NULL, changed_at = ?5
WHERE id = ?1 AND revision = ?2 AND process = ?3 AND state IN ('open', 'asked') AND refused IS NULL;

-- name: to_end
-- ?1 id text, ?2 revision bigint; or ?3 an instant bigint. Those that wait for an answer never end by themselves.
SELECT id FROM preparation
WHERE (id = ?1 AND revision = ?2 AND state IN ('open', 'asked')) OR (changed_at < ?3 AND state = 'open');

-- name: end_one
-- ?1 id text, ?2 now bigint. A plan that only names a campaign stays: the same request again gets the same answer.
UPDATE preparation SET state = 'discarded', plan = CASE WHEN plan ->> '$.planning' = 'known' THEN plan END,
  process = NULL, changed_at = ?2
WHERE id = ?1;

-- name: launched_since
-- ?1 contacts text, ?2 audit row bigint: a campaign of the same contacts that did not exist when this launch looked.
SELECT c.id, c.name
FROM campaign AS c JOIN audit AS a ON a.campaign = c.n AND a.verb = 'launch' AND a.id > ?2
WHERE c.hash_contacts = ?1
LIMIT 1;

-- name: tests_of
-- ?1 by text, ?2 since bigint
SELECT count(*) AS tests FROM audit
WHERE verb = 'launch' AND by = ?1 AND at > ?2 AND CAST(detail ->> '$.isTest' AS bigint) = 1;

-- name: set_approval
-- ?1 on or off text
INSERT INTO fact (name, value) VALUES ('approval', ?1)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: approval
SELECT value FROM fact WHERE name = 'approval';

-- name: steps_for
-- ?1 user text, ?2 since bigint
SELECT verb AS "approverStep", by AS "approverStepBy", at AS "approverStepAt" FROM audit
WHERE id > (SELECT coalesce(max(id), 0) - 100000 FROM audit) AND at > ?2
  AND verb IN ('make_link', 'set_role', 'add_user') AND detail ->> '$.user' = ?1
ORDER BY id DESC;

-- name: editors_of
-- ?1 campaign bigint
SELECT editors FROM preparation WHERE campaign = (SELECT id FROM campaign WHERE n = ?1);
