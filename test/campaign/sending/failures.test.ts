import { expect, test } from 'vitest';
import { Failures } from '../../../src/campaign/sending/failures.ts';

/** What is logged while a part fails in such words, a second apart; null: it succeeds. */
async function logged(...errors: (string | null)[]): Promise<string[]> {
  let now = 0;
  const lines: string[] = [];
  const log = {
    warn: ({ part, error }: { part: string; error: string }) => lines.push(`${now / 1_000} ${part} ${error}`),
  };
  const clock = { now: () => now, monotonic: () => now, sleep: () => Promise.resolve() };
  const failures = new Failures({ clock, log: log as never });
  for (const error of errors) {
    const done = await failures.guard({ part: 'fire', words: 'failed' }, async () => {
      if (error !== null) throw new Error(error);
      return 'done';
    });
    expect(done).toBe(error === null ? 'done' : undefined);
    now += 1_000;
  }
  return lines;
}

test('what goes on failing is logged once a minute', async () => {
  const again = Array.from({ length: 121 }, () => 'disk is full');
  const line = (second: number) => `${second} fire Error: disk is full`;
  expect(await logged(...again)).toEqual([line(0), line(60), line(120)]);
});

test('another error, and the same one after a success, are logged at once', async () => {
  expect(await logged('a', 'b', 'b', null, 'b')).toEqual([
    '0 fire Error: a',
    '1 fire Error: b',
    '4 fire Error: b',
  ]);
});

test('parts fail apart from each other', async () => {
  const lines: string[] = [];
  const log = { warn: ({ part }: { part: string }) => lines.push(part) };
  const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
  const failures = new Failures({ clock, log: log as never });
  for (const part of ['fire', 'start', 'fire'])
    await failures.guard({ part, words: 'failed' }, () => Promise.reject(new Error('no')));
  expect(lines).toEqual(['fire', 'start']);
});
