import { hashFile } from '../../contacts/source-file.ts';
import type { Campaign } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';

/** Finds campaigns by a prefix of their ids. */
interface Campaigns {
  find(prefix: string): Promise<Pick<Campaign, 'id' | 'hashes'>[]>;
}

/**
 * Refuses a file to be written over that a campaign was launched with, as it stands: its job names that file, and the same launch
 * could not go on without it. What cannot be read as contacts is none. Throws `usage`.
 */
export async function refuseContacts(campaigns: Campaigns, file: string): Promise<void> {
  const hash = await hashFile(file).catch((error: unknown) => {
    if (error instanceof TumaError) return null;
    throw error;
  });
  if (hash === null) return;
  // The empty prefix fits every id.
  const campaign = (await campaigns.find('')).find(({ hashes }) => hashes.contacts === hash);
  if (campaign === undefined) return;
  throw new TumaError('usage', {
    message: `${file} is not overwritten: it is the contacts of campaign ${campaign.id}.`,
    hint: 'Name another file: --out FILE.',
    where: file,
  });
}
