-- The few functions of SQLite that statements use and Postgres lacks. They take and give what SQLite's do: null where an
-- argument is null, 1 and 0 for the truth in JSON.

CREATE FUNCTION iif(condition boolean, yes bigint, no bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
AS 'SELECT CASE WHEN condition THEN yes ELSE no END';
CREATE FUNCTION iif(condition boolean, yes text, no text) RETURNS text LANGUAGE sql IMMUTABLE
AS 'SELECT CASE WHEN condition THEN yes ELSE no END';

CREATE FUNCTION max(a bigint, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
AS 'SELECT CASE WHEN a >= b THEN a WHEN a < b THEN b END';
CREATE FUNCTION max(a bigint, b bigint, c bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
AS 'SELECT max(max(a, b), c)';
CREATE FUNCTION min(a bigint, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
AS 'SELECT CASE WHEN a <= b THEN a WHEN a > b THEN b END';

CREATE FUNCTION instr(whole text, part text) RETURNS bigint LANGUAGE sql IMMUTABLE
AS 'SELECT strpos(whole, part)::bigint';

CREATE FUNCTION json_extract(document text, path text) RETURNS text LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE jsonb_typeof(found) WHEN 'boolean' THEN CASE WHEN found = 'true' THEN '1' ELSE '0' END ELSE found #>> '{}' END
  FROM (SELECT jsonb_path_query_first(document::jsonb, path::jsonpath) AS found) AS looked
$$;
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_extract);

CREATE FUNCTION json_each(document text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE
AS 'SELECT jsonb_array_elements_text(document::jsonb)';

-- Without blanks, and in the order of the keys, as SQLite writes it.
CREATE FUNCTION json_remove(document text, VARIADIC paths text[]) RETURNS text LANGUAGE sql IMMUTABLE
AS $$
  SELECT '{' || coalesce(string_agg(to_json(key)::text || ':' || value::text, ',' ORDER BY place), '') || '}'
  FROM pg_catalog.json_each(document::json) WITH ORDINALITY AS part(key, value, place)
  WHERE '$.' || key <> ALL (paths)
$$;

CREATE FUNCTION json_group_step(anyarray, anyelement) RETURNS anyarray LANGUAGE sql IMMUTABLE AS 'SELECT $1 || $2';
CREATE FUNCTION json_group_end(anyarray) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT array_to_json($1)::text';
CREATE AGGREGATE json_group_array(anyelement) (SFUNC = json_group_step, STYPE = anyarray, FINALFUNC = json_group_end, INITCOND = '{}');
