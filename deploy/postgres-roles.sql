-- The three users of Postgres for a ledger that many machines share (docs/many-machines.md), in the schema "tuma".
--
-- Run it as a superuser, before the first `tuma migrate` and after each: it makes what is missing, and gives and takes
-- rights until they are as below. It may run as often as you like.
--
--   psql --dbname=sms --file=deploy/postgres-roles.sql
--   psql --dbname=sms --command='\password tuma_owner'      (and so for the other two)

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['tuma_owner', 'tuma_worker', 'tuma_collector'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
      EXECUTE format('CREATE ROLE %I LOGIN', name);
    END IF;
  END LOOP;
  -- `tuma verify` of the owner makes a schema for a moment, to compare.
  EXECUTE format('GRANT CREATE ON DATABASE %I TO tuma_owner', current_database());
END
$$;

-- tuma_owner: `tuma migrate` makes and changes tables. Nothing else runs as this user.
CREATE SCHEMA IF NOT EXISTS tuma AUTHORIZATION tuma_owner;
GRANT USAGE ON SCHEMA tuma TO tuma_worker, tuma_collector;

-- tuma_worker: workers, web and the commands of people. It changes rows, and no table.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA tuma TO tuma_worker;

-- tuma_collector: the process that strangers reach. It stores webhooks, and cannot read them again. It sees no campaign, no
-- message and no opt-out.
REVOKE ALL ON ALL TABLES IN SCHEMA tuma FROM tuma_collector;
DO $$
BEGIN
  IF to_regclass('tuma.webhook') IS NULL THEN
    RAISE NOTICE 'There are no tables yet: run tuma migrate as tuma_owner, then this again.';
    RETURN;
  END IF;
  GRANT SELECT ON tuma.fact TO tuma_collector;
  -- How many claims the ledger knows: an older ledger is noticed by it.
  GRANT SELECT (claims) ON tuma.account TO tuma_collector;
  GRANT INSERT (received_at, last_at, digest, method, content_type, query, body, ip, urgent) ON tuma.webhook TO tuma_collector;
  GRANT SELECT (digest, times, last_at, urgent, voided_at) ON tuma.webhook TO tuma_collector;
  -- The same webhook again.
  GRANT UPDATE (times, last_at, urgent, voided_at, kind, query, body, purged_at) ON tuma.webhook TO tuma_collector;
  -- What /health tries.
  GRANT SELECT, INSERT, UPDATE ON tuma.inbox_trial TO tuma_collector;
END
$$;
