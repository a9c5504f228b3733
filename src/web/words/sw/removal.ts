import type { removal as english } from '../en/removal.ts';

const messagesOf = (count: string) => (count === '1' ? 'ujumbe 1' : `jumbe ${count}`);
const answersOf = (count: string) => (count === '1' ? 'jibu 1' : `majibu ${count}`);

/** Words of the pages that remove personal data: of old campaigns, and of one person. */
export const removal: typeof english = {
  willHappen: 'Haya yatatokea',
  stays: 'Haya yatabaki',
  word: 'ondoa',
  typeWord: 'Andika neno hili ili kuondoa data',
  wrongWord: 'Hili si neno lenyewe. Hakuna kilichoondolewa.',
  changed: 'Idadi imebadilika tangu ukurasa uonyeshwe. Itazame, kisha uamue tena.',
  noWay: 'Haiwezi kurudishwa.',
  underWay: 'Uondoaji wa siku iliyopita',

  purgeTitle: 'Ondoa data binafsi ya zamani',
  purgeIntro:
    'Namba, majina na taarifa nyingine zote za orodha huondolewa, pamoja na majibu ya watu. Ni kampeni zilizokwisha tu zinazoguswa.',
  age: 'Ya zamani kuliko siku ngapi?',
  ageHint: (least) =>
    `Data iliyo ya zamani zaidi huondolewa. Angalau ${least}: hadi hapo ripoti bado huingia.`,
  ageWrong: (least) => `Andika idadi ya siku, ${least} au zaidi.`,
  look: 'Tazama kilichopo',
  before: 'Yote ya kabla ya',
  campaigns: 'Kampeni',
  messages: 'Jumbe zitakazobaki bila namba, ufunguo na taarifa',
  traces: 'Webhook ghafi, namba zilizo kwenye ripoti, na majibu ya kabla ya siku hiyo huondolewa pia.',
  uncertain: (count, one) =>
    one
      ? 'Ujumbe 1 kati yake haijulikani kama ulitumwa. Baadaye unaweza tu kuhesabiwa umetumwa au kufutwa kwenye hesabu.'
      : `Jumbe ${count} kati yake haijulikani kama zilitumwa. Baadaye zinaweza tu kuhesabiwa zimetumwa au kufutwa kwenye hesabu.`,
  purgeStays: [
    'Idadi, gharama, hali, vitambulisho vya jumbe, nyakati, ripoti na taarifa za fedha.',
    'Waliojiondoa na namba zisizofanya kazi, ili wasitumiwe matangazo tena.',
    'Kampeni ambazo hazijaisha, rasimu, na kazi zinazojirudia.',
    'Faili za orodha, faili zilizopakuliwa na nakala za akiba: aliyenazo azifute mwenyewe.',
  ],
  purgeNothing:
    'Hakuna kampeni ya zamani hivyo. Webhook ghafi na majibu ya kabla ya hapo huondolewa hata hivyo.',
  purgeButton: (messages, one) => (one ? 'Ondoa data ya ujumbe 1' : `Ondoa data ya jumbe ${messages}`),
  keep: 'Iache ilivyo',
  purgeDone: (messages, campaigns) => `Imeondolewa kwenye ${messagesOf(messages)}, kampeni ${campaigns}.`,
  purgeLeft: (count) =>
    `Kampeni zilizoachwa kama zilivyokuwa, kwa sababu kuna kinachosubiri au kilichotumwa baadaye: ${count}.`,
  traced: (webhooks, reports, replies) =>
    `Webhook ghafi: ${webhooks}. Ripoti: ${reports}. Majibu: ${replies}.`,
  notRewritten:
    'Nafasi isiyotumika ya leja inaweza kuwa na mabaki. Huondoka anayesimamia Tuma akiisimamisha na kuondoa data mara nyingine.',
  healthTitle: 'Data binafsi',
  healthHelp: 'Namba, majina na majibu ya kampeni za zamani yanaweza kuondolewa. Hesabu na gharama hubaki.',

  erase: 'Mfute mtu huyu…',
  eraseHelp: 'Namba, maandishi, majibu na ushahidi wa mtu huyu huondolewa. Hesabu na kujiondoa hubaki.',
  eraseTitle: 'Umfute mtu huyu?',
  eraseMessages: 'Jumbe zitakazobaki bila namba, ufunguo, taarifa na ushahidi',
  eraseReplies: 'Majibu yatakayoondolewa',
  eraseAll: 'Yote ya mtu huyu',
  eraseNothing: 'Hakuna ujumbe wala jibu la namba hii lililobaki. Webhook ghafi hupitiwa mara nyingine.',
  eraseExports: 'Faili za ujumbe ambazo mtu yeyote aliomba zinaondolewa pia. Zinaweza kutengenezwa tena.',
  eraseAwaited: (count, one) =>
    one
      ? 'Ripoti ya ujumbe 1 bado inaweza kuja. Itarudisha namba; ifute tena hapo.'
      : `Ripoti za jumbe ${count} bado zinaweza kuja. Zitarudisha namba; ifute tena hapo.`,
  eraseStays: [
    'Idadi, gharama, hali, vitambulisho vya jumbe na nyakati.',
    'Kujiondoa kwa namba hii, ili isitumiwe matangazo. Bila hivyo, orodha yenye namba hii huitumia ujumbe tena.',
    'Amri ya kutotuma tena kwenye kampeni ambayo bado inaendelea.',
    'Webhook ghafi zinazomhusu pia mtu mwingine, hadi data ya zamani iondolewe.',
    'Orodha za rasimu, faili za orodha, faili zilizopakuliwa na nakala za akiba: mtoe mtu huyu humo.',
  ],
  eraseWaits: 'Kuna kinachomsubiri mtu huyu. Kimalize kwanza.',
  waits: {
    queued: (count) => `Jumbe ambazo bado hazijatumwa: ${count}. Zifute kwa mtu huyu.`,
    sending: (count) => `Jumbe zinazotumwa sasa: ${count}. Subiri kidogo.`,
    uncertain: (count) => `Jumbe zisizojulikana kama zilitumwa: ${count}. Amua kuzihusu.`,
    maybeStops: (count) => `Majibu ambayo huenda ni STOP: ${count}. Amua kuyahusu kwenye zilizopokelewa.`,
    changing: (count) => `Kampeni zinazoongezewa orodha sasa: ${count}. Subiri kidogo.`,
  },
  eraseToNumber: 'Kwenye namba hii',
  eraseButton: 'Mfute mtu huyu',
  eraseDone: (messages, replies) => `Imeondolewa kwenye ${messagesOf(messages)} na ${answersOf(replies)}.`,
  eraseTraced: (webhooks, reports) => `Webhook ghafi: ${webhooks}. Ripoti: ${reports}.`,
  eraseShared: (count) => `Webhook ghafi zilizobaki, kwa sababu mtu mwingine yumo pia: ${count}.`,
};
