import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { typedBack, wishReader } from '../../../src/domain/text/opt-out-words.ts';
import { resolveConfig } from '../../../src/config/config.ts';
import { webhookReading } from '../../../src/runtime/profile-settings.ts';
import { defaultOptOut } from '../../../src/provider/profiles/default-opt-out.ts';

const wishOf = wishReader({ ...defaultOptOut, stop: defaultOptOut.words, start: defaultOptOut.return_words });
/** Asked of a sender that is called so, whose short code got the reply. */
const NAMES = ['DUKA', '22141', 'Mama Mboga'];

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
    'stop '.repeat(20),
    'STOP.STOP.STOP',
    'STOP-STOP',
    'STOP DUKA',
    'Stop Mama Mboga, please',
    'STOP 22141',
    'Duka: STOP!',
    'Stop. Thank you',
    'Stop.Thank you',
    'S.T.O.P. Thank you!',
    'un-subscribe, thanks',
    'unsubscribe please',
    'Kindly stop',
    'Please, just stop it now',
    'Hello, kindly unsubscribe me. Thank you',
    'please stop sending me messages',
    'Could you please stop sending me these promotional messages',
    'stop messages please',
    'STOP all your sms to my phone',
    'stop the spam',
    "I don't want any more messages",
    'I do not want to receive your texts anymore',
    'No more promotional sms, thanks',
    'please don’t send me sms again',
    'Opt out please',
    'cancel, please',
    'acha kunitumia sms tafadhali',
    'Acheni kunitumia meseji zenu tena',
    'Tafadhali acha sms zenu',
    'Sitaki tena',
    'Sitaki kupokea ujumbe wenu kabisa',
    'Samahani, sihitaji matangazo yenu',
    'Naomba usinitumie tena ujumbe',
    'Niondoe tafadhali, asante',
    'Arrêtez de m’envoyer des messages, merci',
    'Bonjour, veuillez arrêter vos sms',
    'Je ne veux plus recevoir de publicités svp',
    'Stop s’il vous plaît',
    'Ne m’envoyez plus de textos',
    'STOP\n\nSent from my phone',
    'Stop please.\nSent from my iPhone',
    'Acha sms\n\nImetumwa kutoka simu yangu',
    'Arrêtez\nEnvoyé de mon iPhone',
    'Unsubscribe. Regards, Jane Wanjiku',
  ])('%j is a stop', (text) => {
    expect(wishOf(text, NAMES)).toBe('stop');
  });

  it.each([
    'stopp',
    'STOOOP',
    'ST0P',
    '5top please',
    'sotp',
    'stpo',
    'stοp', // a Greek letter
    'unsubscrib',
    'unsuscribe me please',
    'achaa',
    'sitakii sms',
    'nimechoka na sms zenu, acha',
    'stop spamming',
    'Stop disturbing me',
    'STOP. I am tired of this',
    'No, stop!',
    'Hapana, sitaki.',
    'How do I stop these messages?',
    'why dont you stop sending texts to my wife',
    "don't text me before 5",
    'STOP 0722000000',
    'Cancel, I cannot come',
    'Arrêtez de harceler les gens',
    'please do not stop sending me messages',
  ])('%j is for a person to read', (text) => {
    expect(wishOf(text, NAMES)).toBe('maybe_stop');
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
    'STOP the bill',
    'Where do I stop?',
    'Wrong number',
    'Please stop at the office',
    'I will stop by, thank you',
    'Stop this nonsense talk',
    'bus stop',
    'Which stop is it?',
    'end of month',
    'Please cancel the order',
    'I want to cancel the booking',
    'remove it please',
    'remove sugar',
    'quit smoking how?',
    'Shop',
    'Top',
    'step please',
    'acha hizo',
    'Acha niangalie kwanza',
    'toa offer tafadhali',
    'sitaki nyeusi, nataka nyeupe',
    'simama hapo',
    'arrêt de bus',
    'Je veux arrêter de fumer',
    'STOP OTHERSHOP',
    'messages',
    'please',
    'Thanks for the message',
    'Nimepata sms, asante',
    'Sent from my phone',
    'DUKA',
    '',
    '   ',
    '!!!',
    '👍',
    `STOP${'!'.repeat(317)}`,
    `How do I stop these messages? ${'Tell me. '.repeat(16)}`,
  ])('%j asks for nothing', (text) => {
    expect(wishOf(text, NAMES)).toBeNull();
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

  /** Words that are in no list, nor a slip away from one. */
  const strange = fc.constantFrom('bill', 'kesho', 'mtoto', 'invoice', 'hospitali', 'demain', 'goods', '500');
  const courtesy = fc.array(fc.constantFrom(...defaultOptOut.fillers), { maxLength: 3 });
  const demand = fc.oneof(
    fc.constantFrom(...defaultOptOut.words.filter((word) => !word.includes('*'))),
    fc
      .tuple(
        fc.constantFrom(...defaultOptOut.verbs),
        fc.array(fc.constantFrom(...defaultOptOut.links), { maxLength: 2 }),
        fc.constantFrom(...defaultOptOut.objects),
      )
      .map(([verb, links, object]) => [verb, ...links, object].join(' ')),
  );
  const mark = fc.constantFrom(' ', ', ', '! ', '\n', '  ');
  const wish = fc
    .tuple(courtesy, demand, courtesy, mark, fc.boolean())
    .map(([before, asked, after, between, loud]) => {
      const text = [...before, asked, ...after].join(between);
      return loud ? text.toUpperCase() : text;
    })
    .filter((text) => text.length <= 320);

  it('courtesy around a demand changes nothing, and one word of anything else makes it no stop', () => {
    fc.assert(
      fc.property(wish, (text) => {
        expect(wishOf(text)).toBe('stop');
      }),
    );
    fc.assert(
      fc.property(wish, strange, fc.boolean(), (text, word, before) => {
        expect(wishOf(before ? `${word} ${text}` : `${text} ${word}`)).not.toBe('stop');
      }),
    );
  });

  it('what holds no word of the lists asks for nothing, and any text has an outcome', () => {
    fc.assert(
      fc.property(fc.array(strange), (words) => {
        expect(wishOf(words.join(' '), NAMES)).toBeNull();
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(['stop', 'start', 'maybe_stop', null]).toContain(wishOf(text, [text.slice(0, 11)]));
      }),
    );
  });

  it('is what the profile says: another list, another language; what is in both lists is a stop', () => {
    const own = wishReader({ stop: ['Arrêt', 'x'], start: ['Reprendre', 'x', '!'] });
    expect(['arrêt', 'ARRE\u0302T', 'reprendre', 'x', 'stop', '!'].map((text) => own(text))).toEqual([
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
      expect(typed.map((text) => own(text))).toEqual(typed.map(() => 'stop'));
      for (const other of ['789 acha', 'acha 78', 'acha', 'opt', '789']) expect(own(other)).toBeNull();
    },
  );

  it('the setting is enough for that: the profile need not say it again', () => {
    const { wishOf: own } = webhookReading(
      resolveConfig({ cwd: '/', env: { TUMA_OPT_OUT_TEXT: ' SITAKI*31#' } }),
    );
    expect(['sitaki *31#', 'SITAKI*31#', 'acha'].map((text) => own(text))).toEqual(['stop', 'stop', 'stop']);
  });

  it('nothing is a stop of a provider that prints nothing', () => {
    expect(['', '  '].flatMap(typedBack)).toEqual([]);
  });
});
