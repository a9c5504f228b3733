import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { readAmount } from '../../src/sandbox/money.ts';
import { contradictions, type Row } from './check.ts';
import { IN_FLIGHT, type Stage } from './harness.ts';

/* Holds the exports of a ledger that was moved against the truth. */

/** A campaign, and how many messages it was launched with. */
export interface Launched {
  id: string;
  planned: number;
}

/** What the moved ledger came to. */
export interface Moved {
  messages: number;
  accepted: number;
  sent: number;
  uncertain: number;
  double: number;
  lost: number;
}

/** Compares all messages, as `tuma export` tells them with these settings, with what the provider has accepted. */
export async function compareExports(
  stage: Stage,
  campaigns: Launched[],
  env: Record<string, string>,
): Promise<Moved> {
  const rows: Row[] = [];
  for (const { id, planned } of campaigns) {
    const file = join(stage.directory, `${id}.ndjson`);
    expect(await stage.tuma(['export', id, '--out', file], { env })).toMatchObject({ code: 0 });
    const before = rows.length;
    await readExport(file, rows);
    expect(rows.length - before).toBe(planned);
  }
  const messages = campaigns.reduce((sum, { planned }) => sum + planned, 0);
  const truth = await stage.provider.truth();
  const { double, unfounded, money } = contradictions(rows, { truth, report: null });
  const verified = await stage.tuma(['verify'], { env });
  expect([...double, ...unfounded, ...money].slice(0, 20)).toEqual([]);
  expect(verified.document).toMatchObject({ violations: [], campaigns: campaigns.length });
  const of = (state: string) => rows.filter((row) => row.state === state).length;
  expect(of('queued') + of('sending')).toBe(0);
  // Of the one worker that was killed.
  expect(of('uncertain')).toBeLessThanOrEqual(IN_FLIGHT);
  // What is pending although its report was taken was lost on the way.
  const final = new Set(
    truth.reports
      .filter(({ result, outcome }) => result === 'taken' && outcome !== 'sent')
      .map(({ messageid }) => messageid),
  );
  const unjoined = rows.filter(
    ({ delivery, messageid }) => delivery === 'pending' && final.has(messageid ?? ''),
  );
  expect(unjoined.slice(0, 20)).toEqual([]);
  return {
    messages,
    accepted: truth.acceptedCount,
    sent: of('sent'),
    uncertain: of('uncertain'),
    double: double.length,
    lost: messages - rows.length + unfounded.length,
  };
}

async function readExport(file: string, rows: Row[]): Promise<void> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { mobile, state, messageid, cost, delivery } = JSON.parse(line) as Record<string, string | null>;
    rows.push({
      mobile: mobile ?? '',
      state: state ?? '',
      messageid: messageid ?? null,
      cost: typeof cost === 'string' ? readAmount(cost) : null,
      flags: null,
      delivery: delivery ?? null,
    });
  }
}
