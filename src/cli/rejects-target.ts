import { launchedWith, refuseContacts } from '../campaign/launched-contacts.ts';
import { DEFAULT_REJECTS, ownRejects } from '../campaign/own-rejects.ts';
import { ledgerThere } from '../config-ledger.ts';
import type { LedgerReader } from '../ledger/reader.ts';
import type { Context } from './context.ts';
import { isSameFile, outTarget } from './out-target.ts';

interface RejectsRequest {
  /** Null: a name of our own, never that of a file that is read, or that a campaign was launched with. */
  file: string | null;
  /** What the command reads: job, template, contacts. */
  reads: readonly (string | null)[];
  /** The first of our own names. */
  otherwise?: string;
}

/** Where rejects go. For commands that write to the ledger, if there is one. Throws as `outTarget` and `refuseContacts` do. */
export async function rejectsTarget(
  context: Pick<Context, 'config' | 'ledger' | 'reader'>,
  { file, reads, otherwise = DEFAULT_REJECTS }: RejectsRequest,
): Promise<string> {
  const { config } = context;
  const campaigns = await launchedBefore(context);
  const isUsed = async (name: string) =>
    reads.some((each) => each !== null && isSameFile(each, name)) ||
    (campaigns !== null && (await launchedWith(campaigns, name)) !== null);
  const named = file ?? (await ownRejects(otherwise, isUsed));
  const target = outTarget({ file: named, flag: '--rejects', config, reads, written: 'any' });
  // A name of our own was looked at already.
  if (file !== null && campaigns !== null) await refuseContacts(campaigns, target, '--rejects');
  return target;
}

async function launchedBefore(
  context: Pick<Context, 'config' | 'ledger' | 'reader'>,
): Promise<LedgerReader | null> {
  if (!ledgerThere(context.config)) return null;
  // Brings the ledger of an older Tuma up to date, which a reader refuses.
  await context.ledger();
  return context.reader();
}
