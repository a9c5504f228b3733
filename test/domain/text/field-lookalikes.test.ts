import { expect, it } from 'vitest';
import { fieldLookalikes } from '../../../src/domain/text/field-lookalikes.ts';

const NAMES = {
  header: ['Phone', 'First Name', 'name', 'Jina la mtoto', 'città'],
  columns: { who: 'First Name' },
};
const markedIn = (source: string) => fieldLookalikes(source, NAMES).map(({ marked }) => marked);

it.each([
  ['Hi {first name}, {FIRST NAME} and {first name}!', ['{first name}', '{FIRST NAME}']],
  ['Hi [who] <who> «First Name» %who%', ['[who]', '<who>', '«First Name»', '%who%']],
  ['Hi #who#, *|FIRST NAME|*', ['#who#', '*|FIRST NAME|*']],
  ['Hi <<who>> {{First Name}} <<who | you>>{{#if who}} dear{{/if}}', []],
  [
    '[Dear {who}] 20% off for [who], 30% less <{First Name}> for %who%',
    ['{who}', '[who]', '<{First Name}>', '%who%'],
  ],
  ['20% off for who% comes [today] {now} <3 who>, #1 of who#', []],
  ['Hi {$name},@who', ['{$name}', '@who']],
  ['Hi ((name)), (Jina la  mtoto).', ['((name))', '(Jina la  mtoto)']],
  // A Mac writes the accent as a letter of its own.
  ['Hi {citta\u0300}', ['{città}']],
])('names of fields between other marks are found in %j', (source, found) => {
  expect(markedIn(source)).toEqual(found);
});

it.each([
  '((name))',
  '(name)',
  '$name',
  '@name',
  '{$name}',
  '&lt;&lt;name&gt;&gt;',
  '‹‹name››',
  '__name__',
  '{ name }',
  '${name}',
  '#{name}',
  '[[name]]',
  '%%name%%',
  '[%name%]',
  '<% name %>',
  '<%= name %>',
  '{%name%}',
  '<name/>',
  '&laquo;name&raquo;',
  '&#60;name&#62;',
  '_name_',
  '*name*',
  '**name**',
  '~name~',
  '^name^',
  '|name|',
  '"name"',
  "'name'",
  '“name”',
  '‘name’',
  '!name!',
  ':name:',
  '-name-',
  '\\name\\',
  '`name`',
  '（name）',
  '【name】',
])('%s is a placeholder, wherever it stands', (marks) => {
  const asShown = fieldLookalikes(`Hi ${marks}, welcome.`, NAMES);
  expect(asShown).toEqual([{ marked: expect.stringContaining('name'), name: 'name' }]);
  expect(marks).toContain(asShown[0]?.marked);
  expect(markedIn(marks)).toHaveLength(1);
  expect(markedIn(`Hi\n${marks}\n.`)).toHaveLength(1);
});

it.each([
  'Tell us your name, please.',
  'Your name: Ann. name! name?',
  'Rock-name-roll and first-name-only',
  'https://duka.example/name/?name=1&phone=2',
  'info@name.example',
  'Open the surname(s) and username_list',
  'Nickname and names, {nickname} {names}',
  'name - phone - name',
  'KES$name',
])('%s holds none', (text) => {
  expect(markedIn(text)).toEqual([]);
});
