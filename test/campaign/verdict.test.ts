import { describe, expect, it } from 'vitest';
import { Streaks } from '../../src/campaign/streaks.ts';
import { type Asked, type VerdictContext, decide, putBack } from '../../src/campaign/verdict.ts';
import type { RefusalClass, SendResult } from '../../src/provider/provider.ts';

const asked: Asked = { campaign: 1, seq: 7, attempt: 2, segments: 1, tries: 0, sendMs: 12 };
const context: VerdictContext = {
  retry: { attempts: 3, firstMs: 30_000, mostMs: 600_000 },
  now: 1_000_000,
  random: 0,
};
const evidence = { httpStatus: 200, code: '1', words: 'words', raw: null };

function refusal(of: RefusalClass, httpStatus = 200): SendResult {
  return { outcome: 'refused', refusal: of, retryHelps: of === 'request', ...evidence, httpStatus };
}

describe('what an answer means for its message', () => {
  it('P5 accepted is sent, with its id, network and cost', () => {
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
    expect([health, pause]).toEqual(['well', null]);
  });

  it.each(['contact', 'network', 'opted_out'] as const)(
    'P6 a refusal of class %s is rejected for good',
    (of) => {
      expect(decide(refusal(of), asked, context).outcome).toMatchObject({
        to: 'rejected',
        retryHelps: false,
      });
    },
  );

  it.each([
    ['credentials', 'credentials'],
    ['credit', 'balance'],
  ] as const)('P9 a refusal of class %s goes back and pauses at the first sight', (of, reason) => {
    const verdict = decide(refusal(of), asked, context);
    expect(verdict.pause).toBe(reason);
    expect(verdict.outcome).toMatchObject({ to: 'queued', countsAsTry: false });
  });

  it('P9b the third refused sender in a row pauses, the first two do not', () => {
    const streaks = new Streaks();
    const verdict = decide(refusal('sender'), asked, context);
    expect(verdict.outcome.to).toBe('queued');
    const pauses = [1, 2, 3].map(() => streaks.note(1, verdict.complaint));
    expect(pauses).toEqual([null, null, 'sender']);
  });

  it('P8 three identical refused requests pause, different ones do not', () => {
    const streaks = new Streaks();
    const note = (code: string) =>
      streaks.note(1, decide({ ...refusal('request'), code }, asked, context).complaint);
    expect(['400', '404', '400', '400', '400'].map(note)).toEqual([null, null, null, null, 'errors']);
  });

  it('P12 a redirect is rejected and pauses at once', () => {
    const verdict = decide(refusal('request', 302), asked, context);
    expect([verdict.outcome.to, verdict.pause]).toEqual(['rejected', 'errors']);
  });

  it('P10 a throttle goes back, counts as a try and waits at least as long as it was told', () => {
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

  it('P1 no connection goes back without counting as a try, and is an ill sign', () => {
    const verdict = decide(
      { outcome: 'not_sent', fatal: false, ...evidence },
      { ...asked, tries: 2 },
      context,
    );
    expect(verdict.outcome).toMatchObject({ to: 'queued', countsAsTry: false });
    expect([verdict.health, verdict.pause]).toEqual(['ill', null]);
  });

  it('P1 no connection waits for the first wait of the policy, less up to a quarter, however often it was tried', () => {
    const noConnection: SendResult = { outcome: 'not_sent', fatal: false, ...evidence };
    const waits = [0, 2].flatMap((tries) =>
      [0, 0.5].map((random) => {
        const { outcome } = decide(noConnection, { ...asked, tries }, { ...context, random });
        return outcome.to === 'queued' ? outcome.notBefore - context.now : null;
      }),
    );
    expect(waits).toEqual([30_000, 26_250, 30_000, 26_250]);
  });

  it.each(['deadline', 'lost', 'server_error'] as const)(
    'P3 P7 P11 %s is uncertain and an ill sign',
    (kind) => {
      const verdict = decide({ outcome: 'unknown', kind, ...evidence }, asked, context);
      expect([verdict.outcome.to, verdict.health]).toEqual(['uncertain', 'ill']);
    },
  );

  it('P6b P7 unlisted codes pause at the fifth in a row, unreadable answers at the third', () => {
    const rowOf = (kind: 'unlisted_code' | 'unreadable', count: number) => {
      const streaks = new Streaks();
      const { complaint } = decide({ outcome: 'unknown', kind, ...evidence }, asked, context);
      return Array.from({ length: count }, () => streaks.note(1, complaint)).indexOf('errors');
    };
    expect([rowOf('unlisted_code', 6), rowOf('unreadable', 6)]).toEqual([4, 2]);
  });

  it('never puts back a message whose fate is unknown', () => {
    for (const kind of ['deadline', 'lost', 'server_error', 'unreadable', 'unlisted_code'] as const)
      expect(decide({ outcome: 'unknown', kind, ...evidence }, asked, context).outcome.to).toBe('uncertain');
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
