import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import { isGivenId } from '../../../src/provider/send/read-answer.ts';
import { webhookParser } from '../../../src/provider/webhooks/read-webhook.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

const parse = webhookParser(defaultProfile.reports);
const encoder = new TextEncoder();
const KINDS = ['report', 'reply', 'other', 'not_understood'];

/** Another spelling of a name: each letter's case and `-`, `_` or a space before it are free. */
function spellings(name: string): fc.Arbitrary<string> {
  const letter = (each: string) =>
    fc
      .tuple(fc.constantFrom('', '', '', '-', '_', ' '), fc.boolean())
      .map(([before, upper]) => before + (upper ? each.toUpperCase() : each));
  return fc.tuple(...name.split('').map(letter)).map((letters) => letters.join(''));
}

const FIELDS: Record<string, string> = {
  messageid: '00192325341',
  deliverydescription: 'AbsentSubscriber',
  mobile: '254712345678',
  networkid: '1',
  deliverytime: '2025-11-24 15:00:00',
};

/** The same report under other spellings of its keys, in another order. */
const respelt = fc
  .tuple(
    ...Object.keys(FIELDS).map((name) => spellings(name).map((key) => [key, FIELDS[name] ?? ''] as const)),
  )
  .chain((pairs) => fc.shuffledSubarray([...pairs], { minLength: pairs.length }));

const EXPECTED = {
  kind: 'report',
  reports: [
    {
      messageId: '00192325341',
      word: 'AbsentSubscriber',
      delivery: 'undelivered',
      reason: 'absent',
      effect: 'absent',
      mobile: '254712345678',
      network: '1',
      at: Date.UTC(2025, 10, 24, 12),
    },
  ],
};

describe('any bytes', () => {
  it('are read without throwing, and nothing is claimed that is not there', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (body, query) => {
        const { kind, reports } = parse({ body, query });
        expect(KINDS).toContain(kind);
        for (const report of reports) expect(report.messageId.trim()).not.toBe('');
      }),
      { numRuns: fuzzRuns(500) },
    );
  });

  it('that are some JSON are read without throwing', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(KINDS).toContain(parse({ body: encoder.encode(text), query: '' }).kind);
      }),
      { numRuns: fuzzRuns(500) },
    );
  });

  it('that were a report until something cut them or changed a byte are read without throwing', () => {
    const whole = encoder.encode(JSON.stringify([{ results: [FIELDS, { data: FIELDS }] }]));
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(whole.length - 1), fc.nat(255), (end, index, byte) => {
        const body = whole.slice();
        body[index] = byte;
        expect(KINDS).toContain(parse({ body: body.slice(0, end), query: '' }).kind);
      }),
      { numRuns: fuzzRuns(500) },
    );
  });
});

describe('any spelling and order of the keys', () => {
  it('gives the same report from JSON', () => {
    fc.assert(
      fc.property(respelt, (pairs) => {
        const body = encoder.encode(JSON.stringify(Object.fromEntries(pairs)));
        expect(parse({ body, query: '' })).toEqual(EXPECTED);
      }),
    );
  });

  it('gives the same report from a form and from a query', () => {
    fc.assert(
      fc.property(respelt, (pairs) => {
        const form = new URLSearchParams(Object.fromEntries(pairs)).toString();
        expect(parse({ body: encoder.encode(form), query: '' })).toEqual(EXPECTED);
        expect(parse({ body: new Uint8Array(), query: form })).toEqual(EXPECTED);
        expect(parse({ body: encoder.encode('{}'), query: form })).toEqual(EXPECTED);
        expect(parse({ body: encoder.encode('[{}]'), query: form })).toEqual(EXPECTED);
      }),
    );
  });
});

describe('any id', () => {
  it('that is a number comes back with the digits it was written with', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 60n }), (id) => {
        const body = encoder.encode(`{"messageid":${id},"status":"DELIVRD"}`);
        expect(parse({ body, query: '' }).reports[0]?.messageId).toBe(String(id));
      }),
    );
  });

  it('that is a text comes back as it is, trimmed', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 100 }).filter(isGivenId), (id) => {
        const body = encoder.encode(JSON.stringify({ messageid: id, status: 'DELIVRD' }));
        expect(parse({ body, query: '' }).reports[0]?.messageId).toBe(id.trim());
      }),
    );
  });
});
