-- name: create
-- ?1 id, ?2 owner, ?3 editors, ?4 job, ?5 now
INSERT INTO preparation (id, revision, state, owner, editors, job, created_at, changed_at)
VALUES (?1, 1, 'open', ?2, ?3, ?4, ?5, ?5);

-- name: one
-- ?1 id
SELECT * FROM preparation WHERE id = ?1;

-- name: open_ones
SELECT * FROM preparation WHERE state IN ('open', 'asked') ORDER BY changed_at DESC, id;

-- name: change
-- ?1 id, ?2 revision, ?3 job, ?4 contacts, ?5 editors, ?6 now
UPDATE preparation
SET revision = revision + 1, state = 'open', job = coalesce(?3, job), contacts = coalesce(?4, contacts), editors = ?5,
  plan = NULL, process = NULL, draft = NULL, draft_id = NULL, launch = NULL, asked_by = NULL, asked_at = NULL,
  changed_at = ?6
WHERE id = ?1 AND revision = ?2 AND state IN ('open', 'asked');

-- name: begin_planning
-- ?1 id, ?2 revision, ?3 process, ?4 plan, ?5 the dead process
UPDATE preparation SET process = ?3, plan = ?4
WHERE id = ?1 AND revision = ?2 AND state = 'open' AND draft IS NULL
  AND (process IS NULL OR process = ?5);

-- name: record_plan
-- ?1 id, ?2 revision, ?3 process, ?4 plan, ?5 draft, ?6 its id, ?7 launch
UPDATE preparation SET process = NULL, plan = ?4, draft = ?5, draft_id = ?6, launch = ?7
WHERE id = ?1 AND revision = ?2 AND state = 'open' AND draft IS NULL AND process = ?3;

-- name: ask
-- ?1 id, ?2 revision, ?3 by, ?4 now
UPDATE preparation SET state = 'asked', asked_by = ?3, asked_at = ?4, refused = NULL, changed_at = ?4
WHERE id = ?1 AND revision = ?2 AND state = 'open' AND draft IS NOT NULL;

-- name: refuse
-- ?1 id, ?2 revision, ?3 reason, ?4 now
UPDATE preparation SET state = 'open', asked_by = NULL, asked_at = NULL, refused = ?3, changed_at = ?4
WHERE id = ?1 AND revision = ?2 AND state = 'asked';

-- name: join_campaign
-- ?1 id, ?2 revision, ?3 campaign, ?4 now
UPDATE preparation SET state = 'launched', campaign = ?3, draft = NULL, draft_id = NULL, changed_at = ?4
WHERE id = ?1 AND revision = ?2 AND state IN ('open', 'asked');

-- name: launched
-- ?1 id, ?2 revision, ?3 the draft, ?4 its id, ?5 the campaign, ?6 now
UPDATE preparation SET state = 'launched', campaign = ?5, changed_at = ?6
WHERE id = ?1 AND revision = ?2 AND state IN ('open', 'asked') AND draft = ?3 AND draft_id = ?4;

-- name: to_end
-- ?1 id, ?2 revision; or ?3 an instant
SELECT id, draft FROM preparation
WHERE state IN ('open', 'asked') AND ((id = ?1 AND revision = ?2) OR changed_at < ?3);

-- name: end_one
-- ?1 id, ?2 now
UPDATE preparation SET state = 'discarded', draft = NULL, draft_id = NULL, plan = NULL, process = NULL, launch = NULL,
  changed_at = ?2
WHERE id = ?1;

-- name: of_draft
-- ?1 draft
SELECT 1 FROM preparation WHERE draft = ?1 AND state IN ('open', 'asked');

-- name: set_approval
-- ?1 on or off
INSERT INTO fact (name, value) VALUES ('approval', ?1)
ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE fact.value <> excluded.value;

-- name: approval
SELECT value FROM fact WHERE name = 'approval';
