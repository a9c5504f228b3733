import { DEFAULT_REJECTS, ownRejects } from '../campaign/own-rejects.ts';
import { isSameFile, type OutRequest, outTarget } from './out-target.ts';

interface RejectsRequest extends Omit<OutRequest, 'file' | 'flag'> {
  /** Null: a name of our own, never that of a file that is read. */
  file: string | null;
  /** The first of our own names. */
  otherwise?: string;
}

/** Where rejects go. Throws as `outTarget` does. */
export function rejectsTarget({ otherwise = DEFAULT_REJECTS, ...request }: RejectsRequest): string {
  const { reads = [] } = request;
  const isRead = (name: string) => reads.some((file) => file !== null && isSameFile(file, name));
  return outTarget({ ...request, file: request.file ?? ownRejects(otherwise, isRead), flag: '--rejects' });
}
