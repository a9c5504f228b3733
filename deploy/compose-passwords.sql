-- The passwords of the three users, from the secrets of docker-compose.yml. psql runs it once, when the database is new.
\set owner `cat /run/secrets/owner`
\set worker `cat /run/secrets/worker`
\set collector `cat /run/secrets/collector`
ALTER ROLE tuma_owner PASSWORD :'owner';
ALTER ROLE tuma_worker PASSWORD :'worker';
ALTER ROLE tuma_collector PASSWORD :'collector';
