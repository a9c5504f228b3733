import { expect, it } from 'vitest';
import { fieldLookalikes } from '../../../src/domain/text/template-fields.ts';

const NAMES = { header: ['Phone', 'First Name'], columns: { who: 'First Name' } };

it.each([
  ['Hi {first name}, {FIRST NAME} and {first name}!', ['{first name}', '{FIRST NAME}']],
  ['Hi [who] <who> «First Name» %who%', ['[who]', '<who>', '«First Name»', '%who%']],
  ['Hi #who#, *|FIRST NAME|*', ['#who#', '|FIRST NAME|']],
  ['Hi <<who>> {{First Name}} <<who | you>>{{#if who}} dear{{/if}}', []],
  [
    '[Dear {who}] 20% off for [who], 30% less <{First Name}> for %who%',
    ['{who}', '[who]', '{First Name}', '%who%'],
  ],
  ['20% off for who% comes [today] {now} <3 who>, #1 of who#', []],
])('names of fields between other marks are found in %j', (source, found) => {
  expect(fieldLookalikes(source, NAMES)).toEqual(found);
});
