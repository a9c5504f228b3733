import { describe, expect, it } from 'vitest';
import { ConsecutiveComplaints } from '../../../src/campaign/sending/consecutive-failures.ts';
import {
  type AttemptFacts,
  type Verdict,
  type VerdictContext,
  decide,
  putBack,
} from '../../../src/campaign/sending/verdict.ts';
import type { RefusalClass, SendResult } from '../../../src/provider/provider.ts';

const asked: AttemptFacts = { campaign: 1, seq: 7, attempt: 2, segments: 1, tries: 0, sendMs: 12 };
const context: VerdictContext = {
  retry: { attempts: 3, firstMs: 30_000, mostMs: 600_000 },
  now: 1_000_000,
  random: 0,
};
const evidence = { httpStatus: 200, code: '1', words: 'No: 254712345678\u001b', raw: null };

const QUESTION = { content: 'hash', words: 'Refused' };

/** As pages and files show these words. */
const SAID = 'No: 2547****5678\ufffd';

function refusal(of: RefusalClass, httpStatus = 200): SendResult {
  return { outcome: 'refused', refusal: of, retryHelps: of === 'request', ...evidence, httpStatus };
}

/** A refusal that only a person's mapping makes of an unknown answer. It never goes back by itself. */
function mapped(of: RefusalClass): SendResult {
  return { ...refusal(of), question: QUESTION };
}

/** One answer, and all that it comes to: what is left out is as it is of an answer that says nothing of anybody else. */
const rows: [string, SendResult, Partial<Verdict>, object][] = [
  ['contact [P6]', refusal('contact'), { health: 'well' }, rejected('invalid mobile')],
  ['opted_out [P6]', refusal('opted_out'), { health: 'well' }, rejected('opted out')],
  ['network [P6]', refusal('network'), { health: 'well' }, rejected('network not allowed')],
  [
    'request [P8]',
    refusal('request', 400),
    { complaint: 'request:1' },
    rejected('request refused (1)', true),
  ],
  [
    'without a code [P8]',
    { ...refusal('request', 400), code: null },
    { complaint: 'request:400' },
    rejected('request refused (400)', true),
  ],
  [
    'request [P6]',
    refusal('request', 200),
    { complaint: 'request:1' },
    rejected('request refused (1)', true),
  ],
  ...[300, 399].map((status): (typeof rows)[number] => [
    `redirect ${status} [P12]`,
    refusal('request', status),
    { complaint: 'request:1', pause: 'errors' },
    rejected('redirected (1)', true),
  ]),
  ['credentials [P9]', refusal('credentials'), { pause: 'credentials' }, back('credentials refused', 1_000)],
  ['credit [P9]', refusal('credit'), { pause: 'balance' }, back('credit refused', 1_000)],
  ['sender [P9b]', refusal('sender'), { complaint: 'sender' }, back('sender refused', 1_000)],
  [
    'credentials by a mapping [P6b]',
    mapped('credentials'),
    { pause: 'credentials' },
    rejected('credentials refused', true),
  ],
  ['credit by a mapping [P6b]', mapped('credit'), { pause: 'balance' }, rejected('credit refused', true)],
  ['sender by a mapping [P6b]', mapped('sender'), { complaint: 'sender' }, rejected('sender refused', true)],
  ['P1', notSent(false), { health: 'ill' }, back('no connection', 30_000)],
  ['fatal [P1]', notSent(true), { health: 'ill', pause: 'errors' }, back('could not be requested', 30_000)],
  ['P3', unknown('deadline'), { health: 'ill' }, uncertain('no answer in time')],
  ['P2', unknown('lost'), { health: 'ill' }, uncertain('answer lost')],
  ['P11', unknown('server_error'), { health: 'ill' }, uncertain('server error')],
  ['P7', unknown('unreadable'), { complaint: 'unreadable' }, uncertain('answer unreadable')],
  ['P6b', unknown('unlisted_code'), { complaint: 'unlisted_code' }, uncertain('unlisted code')],
  [
    'without a time [P10]',
    { outcome: 'throttled', retryAfterMs: null, ...evidence },
    { holdMs: 1_000 },
    { ...back('throttled', 30_000), countsAsTry: true },
  ],
];

function notSent(fatal: boolean): SendResult {
  return { outcome: 'not_sent', fatal, ...evidence };
}

function unknown(kind: Extract<SendResult, { outcome: 'unknown' }>['kind']): SendResult {
  return { outcome: 'unknown', kind, ...evidence };
}

function rejected(reason: string, retryHelps = false) {
  return { to: 'rejected', reason, retryHelps };
}

function back(reason: string, afterMs: number) {
  return { to: 'queued', reason, notBefore: context.now + afterMs, countsAsTry: false };
}

function uncertain(reason: string) {
  return { to: 'uncertain', reason };
}

describe('what an answer means for its message', () => {
  it.each(rows)('%s: nothing less and nothing more', (_, result, about, outcome) => {
    const { campaign, seq, attempt, sendMs } = asked;
    const { httpStatus, code, words, question } = result;
    expect(decide(result, asked, context)).toEqual({
      pause: null,
      complaint: null,
      health: 'neutral',
      holdMs: null,
      ...about,
      outcome: {
        campaign,
        seq,
        attempt,
        sendMs,
        evidence: { httpStatus, code, raw: words, words: SAID, ...(question && { question }) },
        ...outcome,
      },
    });
  });
  it('accepted is sent, with its id, network and cost [P5]', () => {
    const result: SendResult = {
      outcome: 'accepted',
      messageId: '007',
      network: '1',
      costMicro: 800_000,
      flags: [],
      ...evidence,
    };
    const { outcome, health, pause } = decide(result, asked, context);
    expect(outcome).toMatchObject({
      to: 'sent',
      messageId: '007',
      network: '1',
      costMicro: 800_000,
      attempt: 2,
    });
    expect([health, pause, outcome.evidence]).toEqual(['well', null, null]);
  });

  it('keeps the whole answer of an acceptance that something is wrong with [P5]', () => {
    const flags = ['cost_unreadable'];
    const result: SendResult = {
      outcome: 'accepted',
      messageId: '007',
      network: null,
      costMicro: null,
      flags,
      ...evidence,
      raw: '{"cost":"?"}',
    };
    const { outcome } = decide(result, asked, context);
    expect(outcome).toMatchObject({ to: 'sent', flags, segments: 1, evidence: { raw: '{"cost":"?"}' } });
  });

  it('the third refused sender in a row pauses, the first two do not [P9b]', () => {
    const complaints = new ConsecutiveComplaints();
    const verdict = decide(refusal('sender'), asked, context);
    expect(verdict.outcome.to).toBe('queued');
    const pauses = [1, 2, 3].map(() => complaints.note(1, verdict.complaint));
    expect(pauses).toEqual([null, null, 'sender']);
  });

  it('in a row is without anything else between, and begins anew behind a pause', () => {
    const complaints = new ConsecutiveComplaints();
    const noted = ['sender', 'sender', null, 'sender', 'sender', 'sender', 'sender'] as const;
    const pauses = noted.map((complaint) => complaints.note(1, complaint));
    expect(pauses).toEqual([null, null, null, null, null, 'sender', null]);
  });

  it('three identical refused requests pause, different ones do not [P8]', () => {
    const complaints = new ConsecutiveComplaints();
    const note = (code: string) =>
      complaints.note(1, decide({ ...refusal('request'), code }, asked, context).complaint);
    expect(['400', '404', '400', '400', '400'].map(note)).toEqual([null, null, null, null, 'errors']);
  });

  it('a throttle goes back, counts as a try and waits at least as long as it was told [P10]', () => {
    const verdict = decide({ outcome: 'throttled', retryAfterMs: 90_000, ...evidence }, asked, context);
    expect(verdict.outcome).toMatchObject({ to: 'queued', countsAsTry: true, notBefore: 1_090_000 });
    expect(verdict.holdMs).toBe(90_000);
  });

  it('gives up after the last try, and says that a retry helps', () => {
    const verdict = decide(
      { outcome: 'throttled', retryAfterMs: null, ...evidence },
      { ...asked, tries: 2 },
      context,
    );
    expect(verdict.outcome).toMatchObject({ to: 'rejected', reason: 'gave up after 3', retryHelps: true });
  });

  it('no connection waits for the first wait of the policy, less up to a quarter, however often it was tried [P1]', () => {
    const noConnection: SendResult = { outcome: 'not_sent', fatal: false, ...evidence };
    const waits = [0, 2].flatMap((tries) =>
      [0, 0.5].map((random) => {
        const { outcome } = decide(noConnection, { ...asked, tries }, { ...context, random });
        return outcome.to === 'queued' ? outcome.notBefore - context.now : null;
      }),
    );
    expect(waits).toEqual([30_000, 26_250, 30_000, 26_250]);
  });

  it('unlisted codes pause at the fifth in a row, unreadable answers at the third [P6b P7]', () => {
    const rowOf = (kind: 'unlisted_code' | 'unreadable', count: number) => {
      const complaints = new ConsecutiveComplaints();
      const { complaint } = decide({ outcome: 'unknown', kind, ...evidence }, asked, context);
      return Array.from({ length: count }, () => complaints.note(1, complaint)).indexOf('errors');
    };
    expect([rowOf('unlisted_code', 6), rowOf('unreadable', 6)]).toEqual([4, 2]);
  });

  it('puts an undispatched message back without evidence', () => {
    expect(putBack(asked, 'released', 5)).toMatchObject({
      to: 'queued',
      evidence: null,
      notBefore: 5,
      countsAsTry: false,
    });
  });
});
