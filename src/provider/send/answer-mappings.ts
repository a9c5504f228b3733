import { type AnswerMeaning, answerGroupKey } from '../../domain/answer-meaning.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Provider, SendResult } from '../provider.ts';

/** The meanings that a person gave to unknown answers (`tuma answers`), laid over the profile. */
export class AnswerMappings {
  readonly #profile: Profile;
  #meanings = new Map<string, AnswerMeaning>();

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  /** Replaces all meanings. */
  replace(mapped: Parameters<Provider['mapAnswers']>[0]): void {
    this.#meanings = new Map(mapped.map((each) => [answerGroupKey(each), each.meaning]));
  }

  /** The result by a person's mapping. Without a messageid, the ledger makes a mapped acceptance sent. */
  apply(result: SendResult): SendResult {
    if (result.outcome !== 'unknown' || result.question === undefined) return result;
    const { kind: _, ...seen } = result;
    const { httpStatus, question } = result;
    const meaning = this.#meanings.get(answerGroupKey({ httpStatus, content: question.content }));
    if (meaning === undefined || meaning === 'uncertain') return result;
    if (meaning === 'accepted') return { ...seen, kind: 'mapped_accepted' };
    const retryHelps = this.#profile.retry_helps[meaning] ?? false;
    return { ...seen, outcome: 'refused', refusal: meaning, retryHelps };
  }
}
