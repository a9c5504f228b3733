import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { payloadLines } from '../../src/reports/payload.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const lines = (text: string, query = '') =>
  payloadLines({ body: encode(text), query }, { showNumbers: false }).map(
    ({ path, value }) => `${path} ${value}`,
  );

it('leads to every value of a JSON payload, with the digits of its numbers', () => {
  expect(lines('{"a":{"b":[1,{"c":"x"}]},"d":1.50,"e":null,"f":true}')).toEqual([
    '$.a.b[0] 1',
    '$.a.b[1].c x',
    '$.d 1.50',
    '$.e null',
    '$.f true',
  ]);
});

it('reads forms, queries and plain text', () => {
  expect(lines('id=1&status=two+words', 'x=1')).toEqual(['id 1', 'status two words', '?x 1']);
  expect(lines('<a>b</a>')).toEqual(['$ <a>b</a>']);
  expect(lines('{"broken":')).toEqual(['$ {"broken":']);
});

it('never shows a secret, and a number only in part', () => {
  const shown = lines(
    '{"apiKey":"k1","X-Api-Secret":"s1","to":"+254712345678","text":"call 0712345678"}',
  ).join();
  expect(shown).not.toMatch(/k1|s1|254712345678|0712345678/);
  expect(shown).toContain('2547****5678');
});

it('is bounded and never throws, whatever a stranger posted', () => {
  expect(lines(`${'['.repeat(5_000)}1${']'.repeat(5_000)}`).length).toBeLessThanOrEqual(200);
  expect(lines(JSON.stringify(Array.from({ length: 5_000 }, () => 'x'))).length).toBe(200);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (body, query) => {
      for (const { value } of payloadLines({ body, query }, { showNumbers: false }))
        expect(value.length).toBeLessThanOrEqual(300);
    }),
  );
});
