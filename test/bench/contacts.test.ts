import { expect, test } from 'vitest';
import { contactAt, TEMPLATE, textFor } from '../../bench/contacts.ts';
import { parseMobile } from '../../src/domain/numbers/mobile.ts';
import { compileTemplate } from '../../src/domain/text/template.ts';

const COUNT = 5_000;

test('every contact is a mobile that Tuma sends to, and no two are the same', () => {
  const contacts = Array.from({ length: COUNT }, (_, index) => contactAt(index));
  for (const { phone, mobile } of contacts)
    expect(parseMobile(phone, 'KE')).toEqual({ ok: true, mobile, country: 'KE' });
  expect(new Set(contacts.map(({ mobile }) => mobile)).size).toBe(COUNT);
});

test('the yardsticks post the very text that Tuma renders', () => {
  const header = ['Phone', 'First name', 'Town', 'Points'];
  const columns = { mobile: 'Phone', name: 'First name' };
  const template = compileTemplate({ source: TEMPLATE, file: 'bench', header, columns, gsmSafe: false });
  for (let index = 0; index < 200; index += 1) {
    const contact = contactAt(index);
    const { phone, name, town, points } = contact;
    expect(template.render([phone, name, town, points])).toEqual({ ok: true, text: textFor(contact) });
  }
});
