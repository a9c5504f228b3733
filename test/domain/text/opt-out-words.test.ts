import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { typedBack, wishReader } from '../../../src/domain/text/opt-out-words.ts';
import { resolveConfig } from '../../../src/config/config.ts';
import { webhookReading } from '../../../src/runtime/profile-settings.ts';
import { defaultOptOut } from '../../../src/provider/profiles/default-opt-out.ts';

const wishOf = wishReader({ stop: defaultOptOut.words, start: defaultOptOut.return_words });

describe('what a reply asks for [X28]', () => {
  it.each([
    'STOP',
    'stop',
    '  Stop \n',
    'STOP!',
    '"stop".',
    'S.T.O.P',
    'ＳＴＯＰ',
    'st\u200bop',
    'STOP*456*9*5#',
    'STOP *456*9*5#',
    'Stop  *456*9*5 # ',
    'STÓP',
    'S\u0301TO\u0300P',
    // As a phone's keyboard leaves them behind a sign that is drawn in colour.
    'STO\ufe0fP\ufe0f',
    `STOP${'!'.repeat(316)}`,
    'Sto\u0300p.',
    'stop!\u{1f64f}',
    'usinitumie',
    'Acha kunitumia!',
    'stop   ALL',
    'Unsubscribe',
    'un-subscribe',
    'CANCEL',
    'end',
    'Quit.',
    'STOP'.padEnd(160),
    `${'\n'.repeat(400)}Stop`,
    `STOP${'!'.repeat(70)}`,
    'ACHA',
    'Acha!!!',
    'ondoa',
    'SITAKI',
    'simama',
    'Toa',
    'Please stop',
    'stop sms',
    'Remove me!',
    'unsub',
    'Usinitumie tena',
    'wacha kunitumia',
    'Pls stop',
    'Stop sending me messages',
    'Stop  sending  me  messages',
    'Please unsubscribe',
    'Don’t text me!',
    'No more messages.',
    'Acheni kunitumia',
    'Stop. Stop! STOP',
    'Revoke',
    'Usinitumie ujumbe',
    'Désinscription',
    'Acha kunitumia messages',
    'Usinitumie SMS',
    'Msinitumie tena!',
    'Nitoeni',
    'Désabonnez-moi',
    'ARRÊT',
    'désabonner',
    '*456*9*5#',
    ' *456*9*5',
    '＊456＊9＊5＃.',
  ])('%j is a stop', (text) => {
    expect(wishOf(text)).toBe('stop');
  });

  it.each(['START', 'start.', 'Anza', 'RUDISHA', 'unstop', 'subscribe'])('%j is a start', (text) => {
    expect(wishOf(text)).toBe('start');
  });

  it.each([
    'unstoppable',
    'nonstop',
    'please stop by',
    'please stop at 5',
    'stop it at 5',
    'sitaki chai',
    'stop stop at 5',
    'remove it',
    'acha tafadhali hiyo',
    'acheni mchezo',
    'no more rice',
    "don't text me before 5",
    'remove 5',
    '456',
    '45695',
    '45,695',
    '456.95',
    '*45695#',
    '*456#',
    '*456*9*5# ni nini',
    '***',
    'stop by my shop',
    "don't stop",
    'the end',
    'weekend',
    'cancel my order',
    'toa bei gani',
    'mwacha mila',
    'restart',
    'anzania',
    'asante, usisimame',
    'usiache',
    'stοp', // a Greek letter
    '',
    '   ',
    '!!!',
    '👍',
    'stop '.repeat(20),
    `STOP${'!'.repeat(317)}`,
  ])('%j asks for nothing', (text) => {
    expect(wishOf(text)).toBeNull();
  });

  it('the words that docs/opt-outs.md names are the words', () => {
    const docs = readFileSync(new URL('../../../docs/opt-outs.md', import.meta.url), 'utf8');
    const [paragraph = ''] = /^The words are .*?(?=; case)/ms.exec(docs) ?? [];
    const named = [...paragraph.matchAll(/\*([^*]+)\*/g)].flatMap(([, list = '']) => list.split(/,\s+/));
    const plain = (words: readonly string[]) =>
      words
        .map((word) => word.normalize('NFD').replace(/\p{M}|\s/gu, ''))
        .filter((word) => !word.includes('#'));
    expect(new Set(plain(named))).toEqual(new Set(plain(defaultOptOut.words)));
  });

  it('a word with anything behind or before it asks for nothing', () => {
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
    const words = fc.constantFrom('stop', 'acha', 'start', 'sitaki');
    const longer = fc.array(letter, { minLength: 12, maxLength: 12 }).map((letters) => letters.join(''));
    fc.assert(
      fc.property(words, longer, fc.boolean(), (word, more, before) => {
        expect(wishOf(before ? more + word : word + more)).toBeNull();
        expect(wishOf(before ? `${more} ${word}` : `${word} ${more}`)).toBeNull();
      }),
    );
  });

  it('is what the profile says: another list, another language; what is in both lists is a stop', () => {
    const own = wishReader({ stop: ['Arrêt', 'x'], start: ['Reprendre', 'x', '!'] });
    expect(['arrêt', 'ARRE\u0302T', 'reprendre', 'x', 'stop', '!'].map(own)).toEqual([
      'stop',
      'stop',
      'start',
      'stop',
      null,
      null,
    ]);
  });

  it.each([
    [' ACHA*789#', ['acha*789#', 'ACHA *789#', 'Acha 789']],
    ['ACHA *789#', ['acha*789#', 'ACHA *789#']],
    [' Opt-out: *789#', ['opt out *789#', 'Opt-out: *789#']],
    [' *789#', ['*789#']],
  ])(
    'what the provider prints, %j, is a stop when it is typed back, with a blank or without',
    (text, typed) => {
      const own = wishReader({ stop: typedBack(text), start: [] });
      expect(typed.map(own)).toEqual(typed.map(() => 'stop'));
      for (const other of ['789 acha', 'acha 78', 'acha', 'opt', '789']) expect(own(other)).toBeNull();
    },
  );

  it('the setting is enough for that: the profile need not say it again', () => {
    const { wishOf: own } = webhookReading(
      resolveConfig({ cwd: '/', env: { TUMA_OPT_OUT_TEXT: ' SITAKI*31#' } }),
    );
    expect(['sitaki *31#', 'SITAKI*31#', 'acha'].map(own)).toEqual(['stop', 'stop', 'stop']);
  });

  it('nothing is a stop of a provider that prints nothing', () => {
    expect(['', '  '].flatMap(typedBack)).toEqual([]);
  });
});
