/*
 * The triggers of a migration as Postgres takes them: a function each, because Postgres has no trigger without one, and
 * its WHEN takes no subquery. What RAISE (ABORT, …) refuses is refused with the same words.
 */

/** The SQLSTATE of a refused change. */
export const REFUSED = 'TU001';

const TRIGGER =
  /^CREATE TRIGGER (\w+) (BEFORE|AFTER) (INSERT|DELETE|UPDATE(?: OF [\w, ]+?)?) ON (\w+)\s+(?:WHEN\s+([\s\S]*?)\s+)?BEGIN\s([\s\S]*?)\bEND;$/gm;
const ABORT = /SELECT RAISE \(ABORT, ('[^']*')\)(?: WHERE ([^;]*))?;/g;

/** The functions and triggers of a migration's text, in its order. */
export function postgresTriggers(migration: string): string[] {
  return [...migration.replaceAll(/--.*$/gm, '').matchAll(TRIGGER)].map(
    ([, name = '', time = '', event = '', table = '', condition, body = '']) => {
      const row = time === 'AFTER' ? 'NULL' : event === 'DELETE' ? 'OLD' : 'NEW';
      const unless =
        condition === undefined ? '' : `IF (${condition}) IS NOT TRUE THEN RETURN ${row}; END IF;`;
      return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
${unless}
${body.replaceAll(ABORT, refusal).trim()}
RETURN ${row};
END $$;
CREATE TRIGGER ${name} ${time} ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${name}();`;
    },
  );
}

function refusal(_: string, words: string, condition: string | undefined): string {
  return `IF ${condition ?? 'TRUE'} THEN RAISE EXCEPTION ${words} USING ERRCODE = '${REFUSED}'; END IF;`;
}
