import { grouped } from '../../../domain/money.ts';
import { printable } from '../../../domain/text/printable.ts';
import { sayAdvice } from '../../../domain/advice.ts';
import { advice } from './advice.ts';
import { errorTitles } from './error-titles.ts';
import type { FailedFacts, FindingWords, SaidFinding } from '../../../reports/health.ts';
import type { health as english } from '../en/health.ts';

function good(detail: string): SaidFinding {
  return { detail, hint: null };
}

function ledgerWords({ file, bytes, campaigns }: { file: string; bytes: number; campaigns: number }): string {
  return `${file}, MB ${(bytes / 1e6).toFixed(1)}, kampeni ${campaigns}`;
}

function failed({ code, message, hint, advice: given }: FailedFacts): SaidFinding {
  const help = [given && sayAdvice(advice, given), hint].filter(Boolean).join(' ');
  const detail = code === null ? message : `${errorTitles[code]}: ${message}`;
  return { detail, hint: help === '' ? null : help };
}

const findings: FindingWords = {
  failed,
  version: ({ version }) => good(version),
  nodeTooOld: ({ version, oldest }) => ({ detail: version, hint: `Tumia ${oldest} au jipya zaidi.` }),
  ledger: (found) => good(ledgerWords(found)),
  ledgerReadable: (found) => ({
    detail: ledgerWords(found),
    hint: `Wengine wanaweza kuisoma: chmod 600 ${found.file}`,
  }),
  ledgerOnPostgres: ({ place, engine, campaigns }) => good(`${place}, ${engine}, kampeni ${campaigns}`),
  ledgerPlain: ({ place }) => ({
    detail: `hakuna usimbaji njiani kwenda ${place}: wengine wanaweza kusoma namba na ujumbe`,
    hint: 'Ongeza ?sslmode=verify-full kwenye TUMA_DATABASE_URL.',
  }),
  inbox: ({ place }) => good(`${place}, webhook zinaweza kuhifadhiwa`),
  noLedger: ({ file }) => good(`bado haipo; kampeni ya kwanza itaunda ${file}`),
  noLedgerPossible: ({ file, why }) => ({
    detail: `bado haipo, na ${file} haiwezi kuundwa: ${why}`,
    hint: 'Elekeza TUMA_HOME kwenye folda ambayo mtumiaji huyu anaweza kuandika.',
  }),
  guarded: ({ folder }) => good(`daftari la zamani hugunduliwa; madai huandikwa ${folder}`),
  unguarded: ({ folder, why }) => ({
    detail: `imezimwa, daftari la zamani halingegunduliwa: ${why ?? (folder === null ? 'hakuna HOME wala XDG_STATE_HOME' : `haiwezekani kuandika ${folder}`)}`,
    hint: 'Weka XDG_STATE_HOME kwenye folda iliyo nje ya TUMA_HOME ambayo mtumiaji huyu anaweza kuandika.',
  }),
  secretsSafe: ({ files }) =>
    good(
      files.length === 0
        ? 'hakuna .env inayotumika'
        : `mtumiaji huyu pekee ndiye anayesoma ${files.join(', ')}`,
    ),
  secretsReadable: ({ file, mode }) => ({
    detail: `wengine kwenye mashine hii wanaweza kusoma ${file}`,
    hint: `chmod ${mode} ${file}`,
  }),
  privateRedis: ({ server, version }) =>
    good(`ya ndani, haifanyi kazi sasa; ${server} (${version}) itaanzishwa`),
  redis: ({ version, where, policy }) => good(`${version} kwenye ${where}, ${policy}`),
  redisEvicts: ({ version, where, policy }) => ({
    detail: `${version} kwenye ${where}, ${policy}`,
    hint: 'Huenda ikafuta funguo: weka maxmemory-policy noeviction.',
  }),
  account: ({ account, currency, credit }, cover) =>
    good(`akaunti ${cover(account)}, salio ${currency} ${grouped(credit)}`),
  noAccount: ({ httpStatus, words, isRefused }) => ({
    detail: `${httpStatus === null ? 'hakuna jibu' : `ilijibu ${httpStatus}`}: ${printable(words)}`,
    hint: isRefused ? 'Angalia TUMA_API_KEY na TUMA_API_SECRET.' : 'Angalia TUMA_MESSAGING_URL.',
  }),
  creditsAsked: ({ auth }) => good(`salio linaweza kuulizwa (${auth})`),
  noCredits: failed,
  ownToken: () => ({
    detail: 'TUMA_WEBHOOK_TOKEN haijawekwa: kipokezi hiki hukataa ripoti zenye tokeni ya kingine',
    hint: 'Weka ile ile kwenye kila kipokezi.',
  }),
  noPublicUrl: () => ({
    detail: 'TUMA_PUBLIC_URL haijawekwa: haijulikani kama ripoti zinaweza kuingia',
    hint: 'Iweke kuwa anwani ambayo mtoa huduma huifikia.',
  }),
  collector: ({ url }) => good(`kipokezi kinajibu kwenye ${url}`),
  collectorPlain: ({ url }) => ({
    detail: `${url} haina TLS: wengine wanaweza kusoma majibu, namba na tokeni njiani`,
    hint: 'Weka proksi yenye cheti mbele ya kipokezi, na TUMA_PUBLIC_URL iwe anwani yake ya https.',
  }),
  collectorStuck: ({ url }) => ({
    detail: `kipokezi kwenye ${url} hakiwezi kupokea webhook sasa`,
    hint: 'Je, diski imejaa, au daftari limeshikiliwa? Kumbukumbu za `tuma serve` zinaeleza.',
  }),
  noCollector: ({ url, status, isOther }) => ({
    detail:
      status === null
        ? `hakuna kinachojibu kwenye ${url}`
        : `${url} inajibu ${status}${isOther ? ', lakini si kama kipokezi' : ''}`,
    hint: 'Je, `tuma serve` inafanya kazi, na proksi yako inaelekeza huko?',
  }),
  clockAlone: ({ at }) => good(`${new Date(at).toISOString()}; hakuna cha kulinganisha`),
  clockRight: () => good('sawa na ya huduma ya ujumbe'),
  clockOff: ({ seconds }) => ({
    detail: `inatofautiana na ya huduma ya ujumbe kwa sekunde ${seconds}`,
    hint: 'Acha mfumo urekebishe saa (NTP).',
  }),
  workers: ({ count }) =>
    count === null || count === 0
      ? { detail: 'hakuna', hint: 'Aliyesakinisha Tuma anaanzisha mmoja kwa `tuma serve`.' }
      : good(`${count} wanafanya kazi`),
  nothingCharged: () => good('bado hakuna'),
  chargesRight: () => good('hakuna kinachopinga sehemu zilizohesabiwa'),
  chargesWrong: ({ charged, counted }) =>
    good(
      `huduma ya SMS hutoza sehemu ${charged} kwa ujumbe wenye sehemu ${counted} hapa: weka TUMA_OPT_OUT_TEXT kuwa maandishi ambayo huduma huongeza, au rekebisha TUMA_PRICE`,
    ),
  noReports: () => good('bado hakuna'),
  reportsJoin: () => good('hakuna ya siku tatu zilizopita inayosubiri ujumbe wake'),
  alertsGo: ({ settings, endpoints }) =>
    good(
      [
        ...(settings === 0 ? [] : [`kwa mipangilio (njia ${settings})`]),
        ...(endpoints.length === 0 ? [] : [`kwa ${endpoints.join(', ')}`]),
      ].join(', na ') || 'hakuna anayejulishwa',
    ),
  alertsFail: ({ failed }) => ({
    detail: failed.map(({ address, why }) => `${address} haikupokea ya mwisho: ${why}`).join('; '),
    hint: 'Tahadhari hutumwa tena kwa siku moja. Rekebisha mpokeaji, au ondoa anwani yake kwenye ukurasa wa Tahadhari.',
  }),
  reportsUnmatched: ({ count, ambiguous }) => ({
    detail: `ripoti ${count} hazilingani na ujumbe wowote, na ${ambiguous} zinalingana na zaidi ya mmoja au namba nyingine`,
    hint: 'Tazama ukurasa wa Maamuzi.',
  }),
};

/** Words of the page about what is well and what is not. */
export const health: typeof english = {
  title: 'Afya ya mfumo',
  well: 'Kila kinachohitajika kutuma kinafanya kazi',
  notWell: (fails, one) =>
    one
      ? 'Jambo 1 halifanyi kazi, na linahitajika kutuma'
      : `Mambo ${fails} hayafanyi kazi, na yanahitajika kutuma`,
  doubts: (count, one) =>
    one ? 'Huenda jambo 1 halifanyi kazi vizuri' : `Huenda mambo ${count} hayafanyi kazi vizuri`,
  running: 'Ukaguzi bado unaendelea',
  runningHelp: 'Kuna kisichojibu. Pakia ukurasa huu tena baada ya muda mfupi.',
  checks: 'Kilichokaguliwa',
  checkNames: {
    node: 'Node',
    sqlite: 'SQLite',
    ledger: 'Daftari',
    guard: 'Kinga dhidi ya daftari la zamani',
    secrets: 'Siri',
    redis: 'Redis',
    credentials: 'Akaunti',
    webhook: 'Webhook',
    clock: 'Saa',
    worker: 'Watumaji',
    charges: 'Malipo',
    reports: 'Ripoti za kufika',
    alerts: 'Tahadhari',
    v2: 'Salio na mafaili (v2)',
  },
  findings,
  states: { ok: 'inafanya kazi', warn: 'iangalie', fail: 'haifanyi kazi' },
  lookedAt: 'Ilikaguliwa',
  free: 'Nafasi ya diski ya daftari',
  gigabytes: (size) => `GB ${size}`,
  lastReport: 'Ripoti ya mwisho ya kufika',
  never: 'bado hakuna',
  unread: 'Webhook zisizosomwa bado',
  waiting: 'Ripoti zinazosubiri ujumbe wake',
  notUnderstood: 'Webhook zisizoeleweka',
  webhook: 'Anwani ya webhook',
  webhookHelp: 'Huduma ya ujumbe hutuma ripoti na majibu hapo. Yeyote anayeijua anaweza kutuma pia.',
  showWebhook: 'Onyesha anwani',
  paste: 'Bandika anwani hii kwenye tovuti ya huduma ya ujumbe, kwa ripoti za kufika na kwa majibu.',
  local:
    'Ni mashine hii pekee inayofikia anwani hiyo. Weka TUMA_PUBLIC_URL kuwa ile inayoonekana kwenye mtandao.',
  plain: 'Bila TLS wengine wanaweza kusoma tokeni na ripoti njiani: tumia https.',
};
