import { hashFile } from '../contacts/source-file.ts';
import type { Campaign } from '../domain/campaign.ts';
import { TumaError } from '../domain/errors.ts';

/** Finds campaigns by a prefix of their ids. */
interface Campaigns {
  find(prefix: string): Promise<Pick<Campaign, 'id' | 'hashes'>[]>;
}

/**
 * The campaign, whichever it was, that was launched with a file as it stands; null: none was. Its job names that file, and the same
 * launch could not go on without it. What cannot be read as contacts is none.
 */
export async function launchedWith(campaigns: Campaigns, file: string): Promise<string | null> {
  const hash = await hashFile(file).catch((error: unknown) => {
    if (error instanceof TumaError) return null;
    throw error;
  });
  if (hash === null) return null;
  // The empty prefix fits every id.
  const campaign = (await campaigns.find('')).find(({ hashes }) => hashes.contacts === hash);
  return campaign?.id ?? null;
}

/** Refuses a file to be written over that a campaign was launched with. Throws `usage`. */
export async function refuseContacts(
  campaigns: Campaigns,
  file: string,
  flag: '--out' | '--rejects' = '--out',
): Promise<void> {
  const id = await launchedWith(campaigns, file);
  if (id === null) return;
  throw new TumaError('usage', {
    message: `${file} is not overwritten: it is the contacts of campaign ${id}.`,
    hint: `Name another file: ${flag} FILE.`,
    where: file,
  });
}
