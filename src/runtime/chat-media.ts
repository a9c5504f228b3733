import { ledgerThere } from '../config/ledger-there.ts';
import { TumaError } from '../domain/errors.ts';
import type { MediaRequest, ToldMedia } from '../provider/account/account-api.ts';
import { mediaError } from './account-error.ts';
import type { ChatMedia, Services } from './contracts.ts';

/**
 * Downloads the file of a chat message by the id of its record. Throws `usage` for an id that is none, and what `keep`
 * throws. Why there is no file is a value, so that each face words it.
 */
export async function fetchChatMedia(
  services: Services,
  { id, keep, signal }: Pick<MediaRequest, 'id' | 'keep' | 'signal'>,
): Promise<ChatMedia> {
  const api = await services.accountApi().catch((error: unknown) => {
    if (error instanceof TumaError && error.code === 'credentials') return error;
    throw error;
  });
  if (api instanceof TumaError) return { outcome: 'not_set', words: '', error: api };
  const told = await toldOf(services, id);
  const maxBytes = services.config.mediaLimitBytes;
  const result = await api.downloadMedia({
    id,
    keep,
    told,
    maxBytes,
    ...(signal === undefined ? {} : { signal }),
  });
  if (result.outcome === 'saved') return result;
  const words = 'words' in result ? result.words : '';
  return { outcome: result.outcome, words, error: mediaError(result) };
}

/** What the message's webhook said of the file; null: the ledger knows none. */
async function toldOf(services: Services, id: string): Promise<ToldMedia | null> {
  if (!ledgerThere(services.config)) return null;
  const detail = await (await services.reader()).chatDetail(id);
  if (detail === null) return null;
  const { mime_type: mimeType = '', file_name: fileName = '' } = detail;
  return { mimeType, fileName };
}
