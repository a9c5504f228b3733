import type { Connection } from '../../connection.ts';
import { formatMoney } from '../../../domain/money.ts';
import type { Violation } from '../../contracts/reader.ts';
import { ALL_MESSAGES, countedMessages } from '../keeping/counted-messages.ts';
import { CampaignSums } from '../keeping/message-sums.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/** Messages and their known charges under one name of a counter. */
interface Sum {
  messages: number;
  cost: number;
}

/** The check of the counters: adds all messages up and compares. */
export function counterChecks(database: Connection) {
  const messages = countedMessages(database);
  const sql = loadStatements(database, new URL('./checks-counters.sql', import.meta.url));
  return {
    /** Counters that differ from the messages of a campaign. All are of one moment. */
    async checkCounters({ campaign, id }: { campaign: number; id: string }): Promise<Violation[]> {
      const sums = new CampaignSums();
      await messages.each([campaign, ...ALL_MESSAGES], (message) => sums.add(message, 1));
      const found = differences(await storedSums(sql, campaign), addedUp(sums));
      return found.map((each) => ({ ...each, campaign: id }));
    },
  };
}

async function storedSums(sql: Sql, campaign: number): Promise<Map<string, Sum>> {
  const rows = [
    ...(await sql('stored_kinds').all(campaign)),
    ...(await sql('stored_times').all(campaign)),
    ...(await sql('stored_latencies').all(campaign)),
  ] as unknown as (Sum & { key: string })[];
  return new Map(rows.map(({ key, messages, cost }) => [key, { messages, cost }]));
}

function addedUp(sums: CampaignSums): Map<string, Sum> {
  const found = new Map<string, Sum>();
  for (const [key, sum] of sums.kinds()) found.set(key, sum);
  for (const { unit, at, what, messages } of sums.times())
    found.set(`${unit} ${at} ${what}`, { messages, cost: 0 });
  for (const { what, bucket, messages } of sums.latencies())
    found.set(`${what} ${bucket}`, { messages, cost: 0 });
  return found;
}

const NONE: Sum = { messages: 0, cost: 0 };

function differences(stored: Map<string, Sum>, found: Map<string, Sum>): Omit<Violation, 'campaign'>[] {
  const keys = [...new Set([...stored.keys(), ...found.keys()])];
  return keys.flatMap((key) => {
    const [kept, added] = [stored.get(key) ?? NONE, found.get(key) ?? NONE];
    if (kept.messages === added.messages && kept.cost === added.cost) return [];
    const detail = `keeps ${said(kept)}, its messages add up to ${said(added)}`;
    return [{ invariant: 'counters', row: `counter ${key.trim()}`, detail }];
  });
}

function said({ messages, cost }: Sum): string {
  return cost === 0 ? `${messages} messages` : `${messages} messages that cost ${formatMoney(cost)}`;
}
