import type { Profile } from '../profiles/profile.ts';

/**
 * The words for a redirect. The API document shows the addresses with and without a slash at the end, and a
 * service that wants the other one answers with a redirect.
 */
export function redirectWords(
  status: number,
  { trailing_slash: slash }: Pick<Profile, 'trailing_slash'>,
): string {
  const wrong = slash ? 'is too much' : 'is missing';
  return `HTTP ${status}: a redirect, which is never followed; if only the slash at the end of the address ${wrong}, set "trailing_slash": ${!slash} in the profile`;
}
