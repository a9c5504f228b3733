import type { orders as english } from '../en/orders.ts';

/** `ujumbe 1`, `jumbe 2,000`. */
const messagesOf = (count: string) => (count === '1' ? 'ujumbe 1' : `jumbe ${count}`);
const uncertainOf = (count: string) =>
  count === '1' ? 'ujumbe 1 usiojulikana' : `jumbe ${count} zisizojulikana`;

/** Words of the pages that ask before something is done to a campaign. */
export const orders: typeof english = {
  have: { people: 'Watu ambao tayari wamepata', messages: 'Jumbe zilizotumwa tayari' },
  wire: 'Zinatumwa sasa, zitamalizika kwanza',
  never: { people: 'Watu ambao hawatapata kamwe', messages: 'Jumbe ambazo hazitatumwa kamwe' },
  get: { people: 'Watu watakaopata sasa', messages: 'Jumbe zitakazoendelea kutumwa' },
  asNow: 'Zilizoshindwa au zisizojulikana, kama sasa',
  leftOut: 'Zilizoachwa au kufutwa, kama sasa',
  all: { people: 'Watu wote', messages: 'Jumbe zote' },
  willHappen: 'Hiki ndicho kitakachotokea',
  costs: (amount) => `Itagharimu kama ${amount}.`,
  keep: 'Iache kama ilivyo',
  changed: 'Idadi zimebadilika tangu ulipoangalia',
  changedHelp: (was, is) => `Ilikuwa ${was}, na sasa ni ${is}. Angalia tena, kisha uamue tena.`,
  gone: 'Jambo hili haliwezekani tena',
  goneHelp: (name, state) => `${name} sasa: ${state}.`,
  back: 'Kwenda kwenye kampeni',

  cancelTitle: (name) => `Kufuta ${name} kabisa?`,
  cancelText: (people) =>
    `Kampeni iliyofutwa haiwezi kuendelea. Orodha ya ${people} inaweza kupakuliwa baadaye na kutumika kwa kampeni mpya.`,
  cancelRecurringText: 'Haitatuma tena kamwe. Ilichoanzisha awali kitaendelea: kifute kwenye ukurasa wake.',
  pauseInstead: 'Ukitaka kusimama kwa sasa tu, isimamishe.',
  typeName: 'Andika jina la kampeni ili kuifuta',
  wrongName: 'Hili si jina la kampeni',
  cancelButton: { people: (people) => `Futa kwa ${people}`, messages: (messages) => `Futa ${messages}` },
  cancelRecurringButton: 'Ifute kabisa',
  keepRunning: 'Iache iendelee',

  resumeTitle: (name) => `Kuendeleza ${name}?`,
  resumeButton: { people: (people) => `Tuma kwa ${people}`, messages: (messages) => `Tuma ${messages}` },
  resumeStarts: (when) => `Itasubiri wakati wake wa kuanza, ${when}.`,
  resumeHours: (when) => `Nje ya saa zake hakuna kinachotumwa: itatuma kuanzia ${when}.`,
  resumeWaits: 'Itasubiri wakati wake ujao.',
  sender: 'Jina la mtumaji',
  senderHint: 'Jina ambalo mtoa huduma amekuidhinishia: hadi herufi na tarakimu 11.',
  senderWrong: 'Andika jina la mtumaji la herufi na tarakimu 1 hadi 11, au namba',

  budgetTitle: (name) => `Kuongeza bajeti ya ${name}`,
  budgetNow: 'Bajeti sasa',
  spent: 'Zimetumika hadi sasa',
  rest: 'Zilizobaki zitagharimu kama',
  budgetField: (currency) => `Gharama ya juu kabisa kwa jumla, ${currency}`,
  budgetHint: 'Si nyongeza: ni yote ambayo inaweza kugharimu, pamoja na yaliyotumika tayari.',
  budgetWrong: 'Andika kiasi, kwa mfano 12,500 au 12500.50',
  budgetLow: (is) => `Bajeti sasa ni ${is}, na haipunguzwi kamwe`,
  budgetButton: 'Iongeze, iendelee',
  budgetButtonRunning: 'Iongeze',

  rateTitle: (name) => `Kubadilisha kasi ya ${name}`,
  rateNow: (rate) => `Sasa inatuma ${rate} zaidi ya yote.`,
  rateFreeNow: 'Sasa inatuma kwa kasi yote ya akaunti.',
  rateAccount: (rate) => `Akaunti inaruhusu ${rate}, kwa kampeni zote pamoja.`,
  rateLimited: 'Jumbe zisizozidi idadi hii',
  rateFree: 'Kwa kasi yote ambayo akaunti inaruhusu',
  rateNumber: 'Jumbe',
  ratePer: 'kwa',
  rateUnits: { s: 'sekunde', min: 'dakika', h: 'saa' },
  rateWrong: 'Andika namba iliyo juu ya 0, kwa mfano 10',
  rateButton: 'Badilisha kasi',

  retryTitle: (count) => `Kurudia ${messagesOf(count)}?`,
  retryText:
    'Zilikataliwa na hazijagharimu chochote. Kila moja itatumwa mara moja tena, kwa bei ya wakati huo.',
  retryReason: 'Sababu',
  retryNamed: (count) => `${count} zimeachwa: ripoti ya kufika inataja namba zao, kwa hiyo huenda zilitumwa.`,
  retryYoung: (count) => `${count} zimeachwa: jibu lao ni jipya mno. Uliza tena baadaye.`,
  retryButton: (count) => `Rudia ${count}`,
  messages: 'Jumbe',
  reminders:
    'Kikumbusho hutumwa mara moja, kama orodha ya mwisho inavyosema, na kwa wakati: la sivyo kinabaki kilivyo.',

  resolveTitle: {
    sent: (count) => `Kuhesabu ${uncertainOf(count)} kuwa zimetumwa?`,
    not_sent: (count) => `Kutuma tena ${uncertainOf(count)}?`,
    write_off: (count) => `Kufunga ${uncertainOf(count)}?`,
  },
  resolveText: {
    sent: 'Zitahesabiwa kuwa zimetumwa, na gharama yake haitajulikana. Hakuna kitakachotumwa.',
    not_sent:
      'Fanya hivi tu mtoa huduma akisema kuwa hazikutumwa. Ukikosea, watu hawa watapata ujumbe mara mbili, na utalipiwa mara mbili.',
    write_off:
      'Zitabaki hazijulikani, na hakuna atakayeulizwa tena. Hakuna kitakachotumwa, na gharama yake haitajulikana.',
  },
  resolveYoung: (count, when) => `${count} ni mpya mno kutumwa tena. Itawezekana kuanzia ${when}.`,
  resolveNamed: 'Zile ambazo ripoti ya kufika inataja namba yake zitaachwa.',
  resolveButton: {
    sent: (count) => `Hesabu ${count} kuwa zimetumwa`,
    not_sent: (count) => `Tuma ${count} tena`,
    write_off: (count) => `Funga ${count}`,
  },
  uncertainTitle: (name) => `Jumbe zisizojulikana za ${name}`,
  uncertainMore: (count) => `Zinaonyeshwa ${count} za kwanza.`,

  skipTitle: (name) => `Kuacha utumaji ujao wa ${name}?`,
  skipText: (when) => `Wa ${when} hautatumwa. Wa baadaye utabaki kama ulivyo.`,
  skipButton: 'Uache',

  peopleTitle: (name) => `Watu wa ${name}`,
  peopleCaption: 'Jumbe, kwa mstari wa orodha',
  peopleNone: 'Hakuna mtu kwenye orodha hii.',
  personFind: 'Tafuta namba au ufunguo',
  personText:
    'Fungua ujumbe kuona maisha yake, au ili mtu wake asitumiwe zaidi. Kwa mtu mmoja kati ya wengi:',
  lineOf: (line) => `Mstari ${line}`,
  line: 'Mstari',
  number: 'Namba',
  key: 'Ufunguo',
  date: 'Tarehe',
  due: 'Lini',
  state: 'Hali',
  next: 'Ukurasa unaofuata',
  first: 'Ukurasa wa kwanza',
  cancelPerson: 'Futa',
  reread: 'Kila utumaji husoma orodha upya: mtoe mtu kwenye faili hilo.',
};
