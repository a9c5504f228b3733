import type { AccountApi } from './account-api.ts';
import type { Profile } from '../profiles/profile.ts';
import { createV2Rules } from './v2-answer.ts';
import { authorise, type V2Credentials } from './v2-auth.ts';
import { readCredits } from './v2-credits.ts';
import { openV2Connection } from './v2-connection.ts';
import { MEDIA_DEADLINE_MS, mediaPath, readMedia } from './v2-media.ts';

/** How to reach the v2 API and how to read it. */
export interface AccountApiOptions extends V2Credentials {
  /** `{base_url}` of the API document; may carry a path in front of `/api/v2`. */
  baseUrl: string;
  /** Milliseconds for the credits, from the call to its result. */
  deadlineMs: number;
  profile: Profile;
  /** PEM of a private certificate authority, if the provider has one. */
  ca?: string;
}

const CREDITS_PATH = '/api/v2/account/credits';

/** Makes the client of the v2 API. Throws `credentials` or `config_invalid` for settings that cannot work. */
export function createAccountApi(options: AccountApiOptions): AccountApi {
  const { baseUrl, deadlineMs, profile, ca } = options;
  const { headers, query, secrets } = authorise(options, profile.v2.basic);
  const line = openV2Connection(baseUrl, { headers, ...(ca === undefined ? {} : { ca }) });
  const rules = createV2Rules(profile, secrets);
  const failed = (words: string) => ({
    outcome: 'unknown' as const,
    httpStatus: null,
    words: rules.clean(words),
  });
  return {
    async credits() {
      const answer = await line.get(CREDITS_PATH + query, AbortSignal.timeout(deadlineMs));
      return 'failed' in answer ? failed(answer.words) : readCredits(answer, rules);
    },
    async downloadMedia(request) {
      const path = mediaPath(request.id) + query;
      const deadline = AbortSignal.timeout(request.deadlineMs ?? MEDIA_DEADLINE_MS);
      const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
      const answer = await line.get(path, signal);
      return 'failed' in answer ? failed(answer.words) : readMedia(answer, { request, rules });
    },
    close: () => line.close(),
  };
}
