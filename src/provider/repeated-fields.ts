/** Where a group of fields begins and ends. */
export type Group = [from: number, to: number];

/**
 * The groups of a form that says the same of several messages, `messageid=1&status=Sent&messageid=2&status=Failed`, each begun
 * by the first name that comes again. None where they do not all hold the same names, and one of the `subjects`: what
 * belongs together would be a guess.
 */
export function repeatedFields(names: readonly string[], subjects: ReadonlySet<string>): Group[] {
  const begins = beginsOf(names);
  const groups = begins.map((from, at): Group => [from, begins[at + 1] ?? names.length]);
  const [wanted = '', ...others] = groups.map((group) => sameNames(names.slice(...group)));
  const alike = wanted !== '' && others.every((other) => other === wanted);
  const named = names.slice(begins[0], begins[1]).some((name) => subjects.has(name));
  return alike && named ? groups : [];
}

/** Where the first name that comes again stands each time; none: empty. */
function beginsOf(names: readonly string[]): number[] {
  const places = new Map<string, number[]>();
  for (const [at, name] of names.entries()) {
    const known = places.get(name);
    if (known === undefined) places.set(name, [at]);
    else known.push(at);
  }
  // A map keeps the order in which its names came.
  return [...places.values()].find((each) => each.length > 1) ?? [];
}

/** One text for the names of a group in any order; empty: one name alone, or one that comes twice, makes no group. */
function sameNames(names: readonly string[]): string {
  const different = new Set(names);
  return different.size === 1 || different.size < names.length ? '' : JSON.stringify([...different].sort());
}
