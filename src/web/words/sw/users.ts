import type { users as english } from '../en/users.ts';

/** Words of the pages about users and tokens. */
export const users: typeof english = {
  title: 'Watumiaji',
  add: 'Ongeza mtumiaji',
  people: 'Watu wanaoingia',
  caption: 'Watumiaji, kwa majina',
  none: 'Bado hakuna anayeingia kwa jina. Kurasa hufunguka kwa kiungo cha kompyuta hii, hadi kuwe na mtumiaji.',
  name: 'Jina',
  role: 'Jukumu',
  seen: 'Aliingia mwisho',
  password: 'Nenosiri',
  never: 'hajawahi',
  hasPassword: 'limewekwa',
  linkUntil: 'inasubiriwa, kiungo hadi',
  noLink: 'hakuna, wala kiungo',
  you: 'wewe',
  programs: 'Programu zinazotumia API',
  tokensCaption: 'Tokeni, kwa majina',
  noTokens: 'Hakuna programu inayoruhusiwa kutumia API.',
  addToken: 'Ongeza tokeni',
  used: 'Ilitumika mwisho',
  ends: 'Inaisha',
  ended: 'imeisha',
  madeBy: 'Imetengenezwa na',
  ofNobody: 'kwenye kompyuta hii; haiondolewi pamoja na mtumiaji',
  action: 'Kitendo',
  remove: 'Ondoa…',
  nameHint:
    'Kama linavyoandikwa wakati wa kuingia: herufi ndogo na tarakimu bila nafasi, kama peter.kamau au mary@example.org.',
  tokenNameHint: 'Jina la programu, kwa herufi ndogo bila nafasi, kama billing.',
  whatMay: 'Inaruhusiwa kufanya nini?',
  roleMeans: {
    viewer: 'Huona kila kitu, namba zikiwa zimefichwa kiasi. Habadilishi na hapakui chochote.',
    operator: 'Huandaa, huanzisha na huendesha kampeni; huamua yanayosubiri uamuzi.',
    approver: 'Pia hukubali au hukataa kampeni zilizoandaliwa na wengine.',
    admin: 'Pia huongeza watumiaji na tokeni.',
  },
  makeLink: 'Ongeza, na utengeneze kiungo',
  makeToken: 'Tengeneza tokeni',
  days: 'Siku hadi iishe',
  daysHint: 'Kuanzia 1 hadi 3,650. Baada ya hapo programu hukataliwa hadi iwe na tokeni mpya.',
  approval: 'Idhini',
  approvalOn: 'Kampeni inahitaji kukubaliwa na mwidhinishaji ambaye hakuiandaa.',
  approvalOff: 'Anayeandaa kampeni ndiye pia huianzisha.',
  approvalNobody: 'Bado hakuna anayeweza kukubali: hakuna mtumiaji aliye mwidhinishaji au msimamizi.',
  turnOn: 'Omba idhini',
  turnOnHelp:
    'Kila kampeni itasubiri hadi mwidhinishaji akubali. Hakuna atakayeanzisha kwa amri za kompyuta tena.',
  turnOff: 'Anzisha bila idhini',
  turnOffHelp: 'Zinazosubiri idhini zitaweza kuanzishwa na aliyeziandaa.',
  problems: {
    name: 'Hili si jina: herufi na tarakimu 1 hadi 64 bila nafasi; . _ - na @ zinaweza kuwa ndani.',
    taken: 'Jina hili tayari linatumika.',
    role: 'Chagua inachoruhusiwa kufanya.',
    first: 'Mtumiaji wa kwanza lazima awe msimamizi: tangu hapo kiungo cha kompyuta hii hakifungui chochote.',
    days: 'Andika namba kamili kuanzia 1 hadi 3,650.',
    self: 'Huwezi kujifanyia hili mwenyewe. Mwombe msimamizi mwingine.',
  },
  linkFor: (name) => `Kiungo cha ${name}`,
  linkHelp: (until) =>
    `Usimtumie mtu mwingine. Kinafanya kazi mara moja, hadi ${until}, na kinaonyeshwa mara hii tu. Kinamwezesha mtumiaji kuchagua nenosiri.`,
  linkField: 'Kiungo',
  homeEnded:
    'Kiungo cha kompyuta hii hakifungui chochote tangu sasa. Ikiwa wewe ndiye mtumiaji huyu, fungua kiungo kipya sasa.',
  tokenFor: (name) => `Tokeni ya ${name}`,
  tokenHelp: (until) =>
    `Inaonyeshwa mara hii tu. Programu huituma kwa kila ombi, kama ilivyo hapa chini, hadi ${until}.`,
  tokenField: 'Tokeni',
  backToUsers: 'Rudi kwa watumiaji',
  changeRole: 'Badilisha jukumu',
  changeRoleHelp: 'Mtumiaji lazima aingie tena.',
  changeRoleTokens: (tokens) =>
    `Mtumiaji alitengeneza tokeni hizi: ${tokens}. Jukumu la chini ya tokeni huiondoa tokeni hiyo mara moja.`,
  changeRoleAddresses: (addresses) =>
    `Tahadhari huenda kwa anwani alizoongeza mtumiaji: ${addresses}. Jukumu la chini ya msimamizi huziondoa mara moja.`,
  newLink: 'Tengeneza kiungo kipya',
  newLinkHelp:
    'Kwa mtumiaji asiye na nenosiri, au aliyelisahau. Viungo vya awali huisha; nenosiri hubaki hadi jipya liwekwe.',
  signOutUser: 'Mtoe kila mahali',
  signOutUserHelp: 'Kwenye kila kivinjari, kwa mfano simu iliyopotea. Mtumiaji anaweza kuingia tena.',
  removeUser: (name) => `Umwondoe ${name}?`,
  removeUserHelp:
    'Mtumiaji anatolewa kila mahali mara moja na hawezi kuingia tena. Aliyoyafanya yanabaki kwenye kumbukumbu.',
  removeUserTokens: (count, names) =>
    count === 1
      ? `Itaondoa tokeni 1 aliyoitengeneza: ${names}.`
      : `Itaondoa tokeni ${count} alizozitengeneza: ${names}.`,
  removeUserAddresses: (count, addresses) =>
    count === 1
      ? `Itaondoa anwani 1 ya tahadhari aliyoiongeza: ${addresses}. Ikiwa ofisi inaihitaji, iongeze tena.`
      : `Itaondoa anwani ${count} za tahadhari alizoziongeza: ${addresses}. Ikiwa ofisi inazihitaji, ziongeze tena.`,
  removeUserButton: (name) => `Mwondoe ${name}`,
  removeToken: (name) => `Uondoe tokeni ${name}?`,
  removeTokenHelp: 'Programu inakataliwa kuanzia ombi lake linalofuata.',
  removeTokenButton: (name) => `Ondoa tokeni ${name}`,
  keepUser: 'Mwache mtumiaji huyu',
  keepToken: 'Iache tokeni hii',
};
