import { hashFile } from '../contacts/source-file.ts';
import type { Campaign } from '../domain/campaign.ts';
import { TumaError } from '../domain/errors.ts';

/**
 * Refuses a file to be written that holds, as it stands, the contacts that a campaign was launched with: its job names them, and
 * the same launch could not go on without them. Throws `usage`; what cannot be read as contacts is none.
 */
export async function refuseContactsOf(
  { id, hashes }: Pick<Campaign, 'id' | 'hashes'>,
  file: string,
): Promise<void> {
  const hash = await hashFile(file).catch((error: unknown) => {
    if (error instanceof TumaError) return null;
    throw error;
  });
  if (hash !== hashes.contacts) return;
  throw new TumaError('usage', {
    message: `${file} is not overwritten: it is the contacts of campaign ${id}.`,
    hint: 'Name another file: --out FILE.',
    where: file,
  });
}
