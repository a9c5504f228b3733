import { counted, grouped } from '../domain/money.ts';
import { printable } from '../domain/text/printable.ts';
import type { FindingFacts, FindingWords, SaidFinding } from './health.ts';

/** What each face words itself, because what helps is a command or a page. */
export type OwnFinding =
  | 'failed'
  | 'noCredits'
  | 'collectorStuck'
  | 'noCollector'
  | 'workers'
  | 'reportsUnmatched';

/** The English words for the other findings, on the command line and on pages. */
export const FINDING_WORDS: Omit<FindingWords, OwnFinding> = {
  version: ({ version }) => good(version),
  nodeTooOld: ({ version, oldest }) => ({ detail: version, hint: `Use ${oldest} or later.` }),
  ledger: (found) => good(ledgerWords(found)),
  ledgerReadable: (found) => {
    return { detail: ledgerWords(found), hint: `Others can read it: chmod 600 ${found.file}` };
  },
  ledgerOnPostgres: ({ place, engine, campaigns }) =>
    good(`${place}, ${engine}, ${counted(campaigns, 'campaign')}`),
  ledgerPlain: ({ place }) => ({
    detail: `nothing is encrypted on the way to ${place}: others can read numbers and texts`,
    hint: 'Add ?sslmode=verify-full to TUMA_DATABASE_URL.',
  }),
  inbox: ({ place }) => good(`${place}, webhooks can be stored`),
  noLedger: ({ file }) => good(`none yet; a launch will make ${file}`),
  noLedgerPossible: ({ file, why }) => ({
    detail: `none yet, and ${file} cannot be made: ${why}`,
    hint: 'Point TUMA_HOME at a folder that this user may write.',
  }),
  guarded: ({ folder }) => good(`an older ledger is noticed; claims are noted in ${folder}`),
  unguarded: ({ folder, why }) => ({
    detail: `off, an older ledger would not be noticed: ${why ?? noNoteWords(folder)}`,
    hint: 'Set XDG_STATE_HOME to a folder outside of TUMA_HOME that this user may write to.',
  }),
  secretsSafe: ({ files }) =>
    good(files.length === 0 ? 'no .env is used' : `only this user reads ${files.join(', ')}`),
  secretsReadable: ({ file, mode }) => {
    return { detail: `others on this machine can read ${file}`, hint: `chmod ${mode} ${file}` };
  },
  privateRedis: ({ server, version }) =>
    good(`private, not running now; ${server} (${version}) will be started`),
  redis: (found) => good(redisWords(found)),
  redisEvicts: (found) => {
    return { detail: redisWords(found), hint: 'It may evict keys: set maxmemory-policy noeviction.' };
  },
  account: ({ account, currency, credit }, cover) =>
    good(`account ${cover(account)}, credit ${currency} ${grouped(credit)}`),
  noAccount: ({ httpStatus, words, isRefused }) => ({
    detail: `${httpStatus === null ? 'no answer' : `answered ${httpStatus}`}: ${printable(words)}`,
    hint: isRefused ? 'Check TUMA_API_KEY and TUMA_API_SECRET.' : 'Check TUMA_MESSAGING_URL.',
  }),
  creditsAsked: ({ auth }) => good(`credits can be asked for (${auth})`),
  ownToken: () => ({
    detail: 'TUMA_WEBHOOK_TOKEN is not set: this collector refuses reports with the token of another one',
    hint: 'Set the same on every collector.',
  }),
  noPublicUrl: () => ({
    detail: 'TUMA_PUBLIC_URL is not set: whether delivery reports can come in is not known',
    hint: 'Set it to the address under which the provider reaches the collector.',
  }),
  collector: ({ url }) => good(`a collector answers at ${url}`),
  collectorPlain: ({ url }) => ({
    detail: `${url} has no TLS: others can read replies, numbers and the token on their way`,
    hint: 'Put a proxy with a certificate before the collector, and set TUMA_PUBLIC_URL to its https address.',
  }),
  clockAlone: ({ at }) => good(`${new Date(at).toISOString()}; nothing to compare it with`),
  clockRight: () => good('as that of the messaging service'),
  clockOff: ({ seconds }) => ({
    detail: `${seconds} s away from that of the messaging service`,
    hint: 'Let the system keep time (NTP).',
  }),
  nothingCharged: () => good('none yet'),
  chargesRight: () => good('nothing speaks against the counted segments'),
  chargesWrong: ({ charged, counted: segments }) =>
    good(
      `messages are charged as ${counted(charged, 'segment')}, counted ${segments}: set TUMA_OPT_OUT_TEXT to the text that the provider appends, or correct TUMA_PRICE`,
    ),
  noReports: () => good('none yet'),
  reportsJoin: () => good('none of the last three days waits for its message'),
  alertsGo: ({ settings, endpoints }) =>
    good(
      [
        ...(settings === 0 ? [] : [`by ${counted(settings, 'way')} of the settings`]),
        ...(endpoints.length === 0 ? [] : [`to ${endpoints.join(', ')}`]),
      ].join(', and ') || 'nobody is told',
    ),
  alertsFail: ({ failed }) => ({
    detail: failed
      .map(({ address, why }) => `${address} did not take the last one: ${printable(why)}`)
      .join('; '),
    hint: 'Alerts are tried again for a day. Mend the receiver, or remove its address on the page Alerts.',
  }),
};

/** A finding with nothing to do. */
export function good(detail: string): SaidFinding {
  return { detail, hint: null };
}

function ledgerWords({ file, bytes, campaigns }: { file: string; bytes: number; campaigns: number }): string {
  return `${file}, ${(bytes / 1e6).toFixed(1)} MB, ${counted(campaigns, 'campaign')}`;
}

function redisWords({ version, where, policy }: { version: string; where: string; policy: string }): string {
  return `${version} at ${where}, ${policy}`;
}

function noNoteWords(folder: string | null): string {
  return folder === null
    ? 'there is neither HOME nor XDG_STATE_HOME'
    : `its note in ${folder} cannot be written`;
}

/** Why a collector does not answer as one. */
export function noCollectorWords({ url, status, isOther }: FindingFacts['noCollector']): string {
  if (status === null) return `nothing answers at ${url}`;
  return `${url} answers ${status}${isOther ? ', but not as a collector does' : ''}`;
}
