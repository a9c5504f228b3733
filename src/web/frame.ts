import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatMoney, grouped, type MoneyMicro } from '../domain/money.ts';
import { type SiteStatus, siteStatus } from './site-status.ts';
import { formOwner } from './session/principal.ts';
import type { Principal } from './who.ts';
import type { WebEnv } from './web-env.ts';
import { type Language, languageOf, type Words, wordsOf } from './words/words.ts';

/** What every page shows around its content. */
export interface Frame {
  /** Null: nobody is signed in. */
  who: Principal | null;
  language: Language;
  words: Words;
  /** The path of the page, which marks its place in the navigation. */
  path: string;
  /** The token that each form carries. */
  csrf: string;
  zone: string;
  currency: string;
  now: number;
  /** The last known credit, such as `KES 18,604.20`; null: it is not known. */
  credit: string | null;
  /** What waits and whether messages leave; null: nobody is signed in. */
  site: SiteStatus | null;
}

/** Collects the frame of a page. */
export async function frameOf(request: FastifyRequest, reply: FastifyReply, env: WebEnv): Promise<Frame> {
  const { zone, currency } = env.config;
  const language = languageOf(request);
  return {
    who: request.who,
    language,
    words: wordsOf(language),
    // An address that no page has is a text of a stranger.
    path: request.is404 ? '/campaigns' : (request.url.split('?', 1)[0] ?? '/'),
    csrf: reply.generateCsrf({ userInfo: formOwner(request, env) }),
    zone,
    currency,
    now: env.clock.now(),
    credit: request.who === null ? null : await creditOf(env),
    site: request.who === null ? null : await siteStatus(env),
  };
}

/** The last credit of the only account, less what is known to be charged since. */
async function creditOf(env: WebEnv): Promise<string | null> {
  const reader = await env.reader();
  const [account, ...others] = await reader.accounts();
  if (account === undefined || others.length > 0) return null;
  const reading = await reader.lastReading(account);
  if (reading === null) return null;
  return creditWords(env.config.currency, reading.creditMicro - reading.chargedSinceMicro);
}

/** A credit as the top of a page shows it: `KES 18,604.20`. */
export function creditWords(currency: string, micro: MoneyMicro): string {
  return `${currency} ${grouped(formatMoney(micro))}`;
}
