import type { Campaign } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import type { LedgerReader } from '../../ledger/contracts/reader.ts';

/** The campaign with exactly this id, as pages and programs name it. Throws `not_found`. */
export async function campaignWithId(reader: Pick<LedgerReader, 'find'>, id: string): Promise<Campaign> {
  const campaign = (await reader.find(id)).find((each) => each.id === id);
  if (campaign !== undefined) return campaign;
  throw new TumaError('not_found', { message: 'There is no campaign with that id.' });
}
