import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadProfile } from '../../../src/provider/profiles/load-profile.ts';
import { profileSchema } from '../../../src/provider/profiles/profile.ts';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';

const folder = mkdtempSync(join(tmpdir(), 'tuma-profile-'));
afterAll(() => rmSync(folder, { recursive: true }));

function profileFile(content: string): string {
  const path = join(folder, 'profile.json');
  writeFileSync(path, content);
  return path;
}

const load = (content: string) => loadProfile(profileFile(content));

test('the default is valid by its own schema, and needs no file', () => {
  expect(profileSchema.parse(defaultProfile)).toEqual(defaultProfile);
  expect(loadProfile(null)).toEqual(defaultProfile);
});

test('the default holds a refusal class for every code that surely refuses, and none is both sure and unsure', () => {
  const { refusal_codes, uncertain_codes, success_codes } = defaultProfile.send;
  expect(Object.keys(refusal_codes).sort()).toEqual(
    ['1001', '1002', '1003', '1004', '1006', '1010', '1012', '1104', '4091', '4092', '4093'].sort(),
  );
  for (const code of [...uncertain_codes, ...success_codes]) expect(refusal_codes).not.toHaveProperty(code);
});

describe('a file of one’s own', () => {
  test('changes only the rows that it names', () => {
    const profile = load(
      '\ufeff{"name":"mine","not_accepted":[503],"send":{"refusal_codes":{"77":"contact"}}}',
    );
    expect(profile).toEqual({
      ...defaultProfile,
      name: 'mine',
      not_accepted: [503],
      send: {
        ...defaultProfile.send,
        refusal_codes: { ...defaultProfile.send.refusal_codes, 77: 'contact' },
      },
    });
    expect(defaultProfile.send.refusal_codes).not.toHaveProperty('77');
  });

  test('replaces lists, and takes a code out with null', () => {
    const profile = load('{"send":{"success_codes":["1000"],"refusal_codes":{"1003":null}}}');
    expect(profile.send.success_codes).toEqual(['1000']);
    expect(profile.send.refusal_codes).not.toHaveProperty('1003');
    expect(profile.send.refusal_codes).toHaveProperty('1001');
  });

  test('with mistakes is refused, each named by its place', () => {
    const wrong = '{"not_acepted":[503],"send":{"refusal_codes":{"9":"nobody"}},"http":{"refused":["400"]}}';
    expect(() => load(wrong)).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        where: join(folder, 'profile.json'),
        message: expect.stringMatching(/not_acepted.*/s),
      }),
    );
    expect(() => load(wrong)).toThrow(/send\.refusal_codes\.9/);
    expect(() => load(wrong)).toThrow(/http\.refused\.0/);
    expect(() => load(wrong)).toThrow(/did you mean "not_accepted"/);
    expect(() => load('{"send":{"sucess_codes":["1"],"zzzzzz":1}}')).toThrow(
      /send: there is no row "sucess_codes" \(did you mean "success_codes"\?\), "zzzzzz"\./,
    );
    expect(() => load('7')).toThrow(/: profile: /);
  });

  test('says what a webhook is answered with: short, plain text', () => {
    expect(load('{"webhook_answer":"ACK/Jasmin"}').webhook_answer).toBe('ACK/Jasmin');
    expect(load('{"webhook_answer":""}').webhook_answer).toBe('');
    for (const answer of ['a\r\nb', '\u0000', 'x'.repeat(201)])
      expect(() => load(JSON.stringify({ webhook_answer: answer }))).toThrow(/webhook_answer: /);
  });

  test('that is no JSON is refused without a word of it, because it may be another file', () => {
    expect(() => load('{\n  "name": oops\n}')).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        where: expect.stringMatching(/profile\.json$/),
        message: 'The provider profile is not JSON.',
      }),
    );
  });

  test('that is not there, is no object, or pollutes prototypes is refused', () => {
    expect(() => loadProfile(join(folder, 'absent.json'))).toThrow(/ENOENT/);
    for (const content of ['[]', '7', 'null', '{"__proto__":{"name":"x"}}']) {
      expect(() => load(content)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    }
    expect(({} as { name?: string }).name).toBeUndefined();
  });
});
