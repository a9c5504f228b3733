import type { decisions as english } from '../en/decisions.ts';

/** Words of the decisions. */
export const decisions: typeof english = {
  title: 'Maamuzi',
  none: 'Hakuna kinachosubiri uamuzi',
  noneHelp: 'Kila jibu la mtoa huduma na kila neno la ripoti linajulikana.',
  answers: 'Majibu ya mtoa huduma yasiyojulikana',
  answersHelp: 'Jumbe zenye jibu kama hilo hazijulikani hadi mtu aseme maana yake.',
  answer: 'Jibu',
  waiting: 'Jumbe zinazosubiri',
  came: 'Lilikuja',
  last: 'Mwisho',
  means: 'Maana',
  nobodyKnows: 'haijulikani',
  decide: 'Amua…',
  change: 'Badilisha…',
  http: (status) => `HTTP ${status}`,
  code: (code) => `msimbo ${code}`,
  by: (who) => `na ${who}`,
  reportWords: 'Maneno ya ripoti yasiyojulikana',
  reportWordsHelp: 'Ujumbe hubaki bila matokeo wakati ripoti yake ina neno kama hilo.',
  word: 'Neno',
  odd: 'Kisicholingana',
  oddNone: 'Ripoti zote zinalingana na jumbe zake, na kila webhook ilieleweka.',
  mismatched: 'Ripoti ambazo kitambulisho kinalingana na ujumbe lakini namba hailingani',
  unmatched: 'Ripoti ambazo kitambulisho chake hakimo kwenye ujumbe wowote',
  ambiguous: 'Ripoti zinazolingana na jumbe kadhaa, au namba nyingine',
  repeated: 'Vitambulisho vilivyo kwenye jumbe kadhaa',
  contradictions: (messages) =>
    `Jumbe zilizokataliwa ambazo ripoti inayosubiri inazitaja (${messages}); kutuma tena kunaziacha`,
  notUnderstood: 'Webhook zisizoeleweka',
  other: 'Webhook kuhusu mambo mengine',
  what: 'Nini',
  count: 'Ngapi',
  webhooks: 'Webhook',
  meanings: {
    credit: 'Salio ni dogo mno',
    sender: 'Jina la mtumaji limekataliwa',
    credentials: 'Ufunguo au siri imekataliwa',
    contact: 'Namba imekataliwa',
    network: 'Mtandao umekataliwa',
    opted_out: 'Mtu amejiondoa kwa mtoa huduma',
    accepted: 'Ulikubaliwa',
    uncertain: 'Haiwezi kujulikana',
  },
  becomes: {
    sent: (count, one) =>
      one
        ? 'Ujumbe 1 unakuwa umetumwa, gharama yake haijulikani.'
        : `Jumbe ${count} zinakuwa zimetumwa, gharama yake haijulikani.`,
    rejected: (count, one) =>
      one ? 'Ujumbe 1 unakuwa umekataliwa.' : `Jumbe ${count} zinakuwa zimekataliwa.`,
    uncertain: (count, one) =>
      one
        ? 'Ujumbe 1 unabaki haujulikani; uamue kwenye ukurasa wa kampeni yake.'
        : `Jumbe ${count} zinabaki hazijulikani; ziamue kwenye ukurasa wa kampeni yake.`,
  },
  retryHelps: 'Kutuma tena kunaweza kuzituma.',
  answerTitle: 'Jibu hili lina maana gani?',
  wait: (count, one) => (one ? 'Ujumbe 1 unasubiri uamuzi huu.' : `Jumbe ${count} zinasubiri uamuzi huu.`),
  later: 'Kila jibu la baadaye la aina hii litasomwa vivyo hivyo.',
  examples: 'Majibu kamili, ya karibuni kwanza',
  proved: (count) => `Ripoti za kufika zimethibitisha kuwa jumbe ${count} zenye jibu hili zilitumwa.`,
  named: (count) => `Ripoti zinazosubiri zinataja namba za jumbe ${count} kati yake.`,
  meaning: 'Maana',
  chooseMeaning: 'Chagua maana yake.',
  decideFor: (count, one) => (one ? 'Amua kwa ujumbe 1' : `Amua kwa jumbe ${count}`),
  keep: 'Amua baadaye',
  changed: 'Idadi ya jumbe imebadilika tangu ukurasa ulipoonyeshwa. Iangalie, kisha uamue tena.',
  mappedTo: (meaning, who) => `Maana yake: ${meaning}. Iliamuliwa na ${who}.`,
  unmap: 'Ondoa uamuzi huu',
  unmapHelp:
    'Kila ujumbe ulioamuliwa nao hautajulikana tena. Uliotumwa tangu hapo unabaki ulivyo. Ujumbe kama huo ukiwa unatumwa tena, simamisha kampeni zake kwanza.',
  wordTitle: 'Neno hili lina maana gani?',
  wordCount: (count, one) =>
    one ? 'Ripoti 1 ina neno hili; itasomwa upya.' : `Ripoti ${count} zina neno hili; zitasomwa upya.`,
  sameLetters: 'Zenye herufi zilezile, kwa hiyo zina maana ileile:',
  deliveries: {
    delivered: 'Ujumbe ulifika',
    undelivered: 'Ujumbe haukufika',
    pending: 'Bado uko njiani',
  },
  effectOnDelivery: {
    delivered: 'Jumbe hizi zinahesabiwa kuwa zimefika.',
    undelivered: 'Jumbe hizi zinahesabiwa kuwa hazikufika.',
    pending: 'Jumbe hizi zinasubiri ripoti nyingine.',
  },
  mapWord: 'Lipe maana hii',
  raw: (id) => `Webhook ${id}`,
  rawFrom: (ip) => `kutoka ${ip}`,
  field: 'Sehemu',
  value: 'Thamani',
  times: 'Ilikuja mara',
  voided: 'Ilibatilishwa na haihesabiwi tena.',
};
