import { ownRejects } from '../campaign/own-rejects.ts';
import { isSameFile, type OutRequest, outTarget } from './out-target.ts';

/** Where rejects go; `file` null: to a name of our own, never that of a file that is read. Throws as `outTarget` does. */
export function rejectsTarget(request: Omit<OutRequest, 'file' | 'flag'> & { file: string | null }): string {
  const { reads = [] } = request;
  const isRead = (name: string) => reads.some((file) => file !== null && isSameFile(file, name));
  return outTarget({ ...request, file: request.file ?? ownRejects(isRead), flag: '--rejects' });
}
