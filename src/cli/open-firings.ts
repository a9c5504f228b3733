import { differences } from '../campaign/launch.ts';
import type { Campaign } from '../domain/campaign.ts';
import type { LedgerReader } from '../ledger/reader.ts';
import type { Context } from './context.ts';

/** Says which firings go on though their recurring job is canceled: each is a campaign of its own. */
export async function noteOfFirings(context: Context, { n, settings }: Campaign): Promise<void> {
  if (settings.every === undefined) return;
  const reader = await context.reader();
  const { schedule } = await reader.agenda(n);
  const fired = (schedule?.latest ?? []).flatMap(({ campaign }) => campaign ?? []);
  const firings = (await Promise.all(fired.map(async (id) => reader.find(id)))).flat();
  for (const { n: firing, id, name } of firings) {
    const { state } = await reader.overview(firing);
    if (state === 'running' || state === 'paused')
      context.output.note(`${name} was fired before and is still ${state}: tuma cancel ${id}`);
  }
}

/** True for a firing: of the files of a recurring job, and none itself. Launching that job again makes it recur. */
export async function isFiring(
  reader: Pick<LedgerReader, 'find'>,
  { settings, hashes }: Campaign,
): Promise<boolean> {
  if (settings.every !== undefined) return false;
  // The empty prefix fits every id.
  const all = await reader.find('');
  return all.some(
    (other) => other.settings.every !== undefined && differences(other.hashes, hashes).length === 0,
  );
}
