import type { Campaign } from '../domain/campaign.ts';
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
