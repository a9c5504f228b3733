import type { Campaign } from '../../domain/campaign.ts';
import { didYouMean } from '../../domain/text/did-you-mean.ts';
import { TumaError } from '../../domain/errors.ts';
import { maskText } from '../../domain/text/mask.ts';
import type { LedgerReader } from '../../ledger/contracts/reader.ts';

const MOST_LISTED = 5;

/**
 * The campaign that a person means: an id, a unique prefix of one, or a name (then its latest). Where it is only read,
 * also the beginning of a name (`beginning`), if no other name begins so. Throws `not_found`, `ambiguous`, and `usage`
 * for an empty reference, which an unset variable of a script leaves.
 */
export async function findCampaign(
  reader: LedgerReader,
  reference: string,
  { beginning = false }: { beginning?: boolean } = {},
): Promise<Campaign> {
  if (reference.trim() === '')
    throw new TumaError('usage', {
      message: 'Which campaign? What was given is empty.',
      hint: 'Give an id, a unique prefix of one, or a name, as tuma status lists them.',
    });
  const found = await reader.find(reference);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only !== undefined) throw ambiguous(reference, found);
  const all = await reader.find('');
  const named = beginning ? latestOfNames(all, reference) : [];
  if (named.length > 1) throw ambiguous(reference, named);
  if (named[0] !== undefined) return named[0];
  throw notFound(reference, all);
}

/** The latest campaign of each name that begins so, whatever its case. */
function latestOfNames(newestFirst: Campaign[], beginning: string): Campaign[] {
  const begins = newestFirst.filter(({ name }) => name.toLowerCase().startsWith(beginning.toLowerCase()));
  return [...Map.groupBy(begins, ({ name }) => name).values()].flatMap(([latest]) => latest ?? []);
}

function ambiguous(reference: string, found: Campaign[]): TumaError {
  return new TumaError('ambiguous', {
    message: `"${maskText(reference)}" fits ${found.length} campaigns: ${list(found)}.`,
    hint: 'Type more of it.',
    where: maskText(reference),
  });
}

function notFound(reference: string, all: Campaign[]): TumaError {
  const near = didYouMean(reference, new Set(all.map(({ name }) => name)));
  const hint = near === null ? `There are: ${list(all)}.` : `Did you mean ${near}?`;
  return new TumaError('not_found', {
    message: `No campaign "${maskText(reference)}".`,
    hint:
      all.length === 0
        ? 'Nothing has been launched here yet; `tuma doctor` shows which ledger this is.'
        : hint,
    where: maskText(reference),
  });
}

function list(campaigns: Campaign[]): string {
  const shown = campaigns.slice(0, MOST_LISTED).map(({ id, name }) => `${id} (${name})`);
  const more = campaigns.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
