import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FirstLines, nameOf } from '../../../src/ledger/decide/duplicate-rows.ts';

it('the first row of a name keeps it, and a row that is left out keeps none of its own', () => {
  const lines = new FirstLines();
  lines.know('a', 2);
  expect(lines.take(['b', 'c'], 3)).toBeNull();
  expect(lines.take(['a'], 4)).toBe(2);
  expect(lines.take(['d', 'c', 'a'], 5)).toBe(3);
  expect(lines.take(['d'], 6)).toBeNull();
  expect(lines.take(['d'], 7)).toBe(6);
});

it('kept rows never share a name, and each other row names the kept one that it shares one with', () => {
  const rows = fc.array(fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 }));
  fc.assert(
    fc.property(rows, (all) => {
      const lines = new FirstLines();
      const kept = new Map<string, number>();
      for (const [line, names] of all.entries()) {
        const known = names.map((name) => kept.get(name)).filter((found) => found !== undefined);
        const taken = lines.take(names, line);
        if (taken === null) expect(known).toEqual([]);
        else expect(known).toContain(taken);
        if (taken === null) for (const name of names) kept.set(name, line);
      }
    }),
  );
});

it('two names are the same only where number, key and date are', () => {
  expect(nameOf('254700000001', 'a', '')).toBe(nameOf('254700000001', 'a', ''));
  const others = [
    nameOf('254700000001', '', 'a'),
    nameOf('254700000001', 'a","', ''),
    nameOf('254700000001', 'a', '2026-01-01'),
    nameOf('254700000002', 'a', ''),
  ];
  expect(new Set([...others, nameOf('254700000001', 'a', '')]).size).toBe(5);
});
