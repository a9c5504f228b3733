const PREFIX = 'purged-';

/** Whether a number is one that was removed: `purged-` and the place of its row stand there in its stead. */
export function isPurged(mobile: string): boolean {
  return mobile.startsWith(PREFIX);
}
