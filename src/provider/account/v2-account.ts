import type { Profile } from '../profiles/profile.ts';
import type { AccountApi, UnknownAnswer } from './account-api.ts';
import { createV2Rules } from './v2-answer.ts';
import { authorise, type V2Credentials } from './v2-auth.ts';
import { openV2Connection, type V2Failure } from './v2-connection.ts';
import { readCredits } from './v2-credits.ts';
import { mediaDeadlineMs, mediaPath, readMedia } from './v2-media.ts';

/** The address and the reading rules of the v2 API. */
export interface AccountApiOptions extends V2Credentials {
  /** `{base_url}` of the API document; may carry a path in front of `/api/v2`. */
  baseUrl: string;
  /** Milliseconds for the credits, from the call to its result. */
  deadlineMs: number;
  profile: Profile;
  /** The currency of the credit (API document 4.3: not shown). */
  currency: string;
  /** PEM of a private certificate authority, if the provider has one. */
  ca?: string;
}

const CREDITS_PATH = '/api/v2/account/credits';

/** Makes the client of the v2 API. Throws `credentials` or `config_invalid` for unusable settings. */
export function createAccountApi(options: AccountApiOptions): AccountApi {
  const { baseUrl, deadlineMs, profile, currency, ca } = options;
  const { headers, query, secrets } = authorise(options, profile.v2.basic);
  const connection = openV2Connection(baseUrl, { headers, ...(ca === undefined ? {} : { ca }) });
  const rules = createV2Rules(profile, currency, secrets);
  const unknown = ({ failed, status }: V2Failure): UnknownAnswer => {
    return { outcome: 'unknown', httpStatus: status, words: rules.clean(failed) };
  };
  return {
    async credits() {
      const answer = await connection.get(CREDITS_PATH + query, AbortSignal.timeout(deadlineMs));
      return 'failed' in answer ? unknown(answer) : readCredits(answer, rules);
    },
    async downloadMedia(request) {
      const path = mediaPath(request.id) + query;
      const deadline = AbortSignal.timeout(request.deadlineMs ?? mediaDeadlineMs(request.maxBytes));
      const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
      const answer = await connection.open(path, signal);
      return 'failed' in answer ? unknown(answer) : readMedia(answer, { request, rules });
    },
    close: () => connection.close(),
  };
}
