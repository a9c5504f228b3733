import type { inbox as english } from '../en/inbox.ts';

/** Words of the inbox. */
export const inbox: typeof english = {
  title: 'Zilizopokelewa',
  download: 'Pakua majibu yote (CSV)',
  waits: 'Zinakusubiri',
  maybe: 'Huenda ni ombi la kuacha (STOP), kutoka',
  maybeHelp:
    'Neno linalofanana na ombi la kuacha liko ndani ya sentensi, kwa hiyo halikutekelezwa lenyewe. Matangazo bado yanatumwa kwa namba hii.',
  moreWait: (count) => `Nyingine ${count} zinasubiri. Amua hizi kwanza.`,
  optOut: 'Mwondoe',
  notStop: 'Si ombi la kuacha',
  conversations: 'Mazungumzo',
  all: 'Mazungumzo yote',
  choose: 'Chagua mazungumzo ili uyasome.',
  nobody: 'Bado hakuna aliyejibu',
  nobodyHelp:
    'Majibu huingia kwa webhook ya huduma ya ujumbe. Ukurasa wa Afya ya mfumo unaonyesha kama inafanya kazi.',
  wishes: { stop: 'STOP', start: 'START', maybe_stop: 'Huenda ni STOP' },
  fromLine: (line, campaign) => `Kutoka mstari wa ${line} wa ${campaign}.`,
  allMessages: 'Jumbe zote kwa namba hii',
  file: (type) => `faili (${type})`,
  to: (addressee) => `kwa ${addressee}`,
  cut: 'Jumbe za zamani zaidi hazionyeshwi hapa.',
  purged: 'Maandishi haya yameondolewa.',
  optedOut: 'Amejiondoa',
  optedOutHelp: 'Hakuna tangazo linalotumwa kwa namba hii. Taarifa za akaunti yake mwenyewe bado zinatumwa.',
  dead: 'Namba hii inahesabiwa kuwa haifanyi kazi',
  deadHelp: 'Jumbe zake zimeshindwa mara nyingi, kwa hiyo hakuna tangazo linalotumwa.',
  letBack: 'Itazame, au irudishe namba',
  noAnswer: 'Tuma haijibu kutoka hapa. Ili kujibu, piga simu kwa namba hiyo, au iweke kwenye kampeni.',
  getFile: 'Ipakue',
  fileWarning: 'Faili hii imetumwa na mtu usiyemjua. Ifungue tu kama uliitarajia.',
  fileFailed: 'Faili haikuweza kupakuliwa',
  fileBack: 'Rudi kwenye mazungumzo',
  fileProblems: {
    missing: 'Huduma haina tena faili ya ujumbe huu. Mwombe mtu huyo aitume tena.',
    too_large:
      'Faili ni kubwa kuliko Tuma inavyoruhusiwa kupakua. Anayesimamia Tuma anaweza kuongeza kikomo.',
    no_file: 'Huduma haikutoa faili nzima. Jaribu tena baada ya muda mfupi.',
    unauthorised: 'Huduma imekataa vitambulisho. Anayesimamia Tuma avikague.',
    unknown: 'Huduma haikujibu kama ilivyotarajiwa. Jaribu tena baada ya muda mfupi.',
    not_set: 'Faili zinahitaji mipangilio ambayo haipo. Anayesimamia Tuma aiongeze.',
    busy: 'Faili nyingine zinapakuliwa sasa. Jaribu tena baada ya muda mfupi.',
  },
  fileSaid: 'Huduma ilisema:',
};
