import { expect, test } from 'vitest';
import { LedgerStory, type Came } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

/** The same numbers in each run: a campaign that fails the test fails it again. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const REASONS = ['service busy', 'invalid mobile', ''];

function cameOf(next: (below: number) => number): Came {
  const what = next(10);
  const reason = REASONS[next(REASONS.length)] ?? '';
  if (what < 6)
    return { to: 'sent', costMicro: next(4) === 0 ? null : 800_000, network: next(3) === 0 ? null : '1' };
  if (what < 8) return { to: 'rejected', reason, retryHelps: next(2) === 0 };
  return what === 8 ? { to: 'uncertain' } : { to: 'queued' };
}

/** Lets anything happen to a campaign. */
async function live(story: LedgerStory, seed: number): Promise<void> {
  const next = random(seed);
  const n = await story.launch({
    id: `c-${seed}`,
    name: `campaign ${seed}`,
    contacts: `${seed}`,
    messages: 5 + next(40),
  });
  for (let round = 0; round < 2; round++) {
    const came = Object.fromEntries((await story.claim()).map((seq) => [seq, cameOf(next)]));
    story.now += 60_000;
    await story.record(n, came);
    for (const [seq, { to }] of Object.entries(came))
      if (to === 'sent' && next(3) > 0)
        await story.report(
          `m${n}-${seq}`,
          next(3) === 0 ? 'undelivered' : 'delivered',
          next(2) === 0 ? 'absent' : null,
        );
  }
  const { now } = story;
  if (next(3) === 0) await story.ledger.resolve(n, { now, by: 'test', decision: 'write_off', before: now });
  if (next(4) === 0) await story.ledger.cancel(n, { now, by: 'test' });
}

const numberOf = (text: string | undefined) => Number((text ?? '').replaceAll(',', ''));

/** Every list of parts and every table with a total: what its numbers come to, and what it says. */
function sumsOf(text: string): { name: string; sum: number; total: number }[] {
  const sums = [];
  for (const [, list = ''] of text.matchAll(/<dl class="parts">([\s\S]*?)<\/dl>/g)) {
    const numbers = [...list.matchAll(/<dd>([\d,]+)/g)].map(([, number]) => numberOf(number));
    sums.push({ name: 'parts', sum: added(numbers.slice(0, -1)), total: numbers.at(-1) ?? -1 });
  }
  for (const [table] of text.matchAll(/<table[\s\S]*?<\/table>/g)) {
    const rows = [...table.matchAll(/<tr[^>]*>[\s\S]*?<\/tr>/g)].map(([row]) => row);
    const at = rows.findIndex((row) => row.includes('class="total"') || row.includes('total"'));
    if (at < 0) continue;
    const cells = rows.slice(0, at + 1).map(figures);
    const totals = cells.at(-1) ?? [];
    for (const [column, total] of totals.entries()) {
      if (total === null) continue;
      const sum = added(cells.slice(0, -1).map((row) => row[column] ?? 0));
      sums.push({ name: `${/<caption[^>]*>([^<]*)/.exec(table)?.[1]} ${column}`, sum, total });
    }
  }
  return sums;
}

const added = (numbers: readonly number[]) =>
  Math.round(numbers.reduce((sum, each) => sum + each, 0) * 100) / 100;

/** The figures of a row; null: a cell that is no plain number, such as a share. */
function figures(row: string): (number | null)[] {
  return [...row.matchAll(/<td[^>]*class="n"[^>]*>([^<]*)<\/td>/g)].map(([, cell = '']) =>
    /^[\d,]+(\.\d+)?$/.test(cell) ? numberOf(cell) : null,
  );
}

test('whatever becomes of a campaign, every sum of its page comes to its total', async () => {
  const story = await LedgerStory.begin();
  const seeds = Array.from({ length: 12 }, (_, index) => index + 1);
  for (const seed of seeds) await live(story, seed);
  const web = await (await WebHere.open(story.directory, {}, story.now)).signIn();
  let seen = 0;
  for (const seed of seeds) {
    const sums = sumsOf((await web.get(`/campaigns/c-${seed}`)).text);
    for (const { name, sum, total } of sums) expect([seed, name, sum]).toEqual([seed, name, total]);
    seen += sums.length;
  }
  expect(seen).toBeGreaterThan(seeds.length * 4);
});
