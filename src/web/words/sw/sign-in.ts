import type { signIn as english } from '../en/sign-in.ts';

/** Words of signing in, and of the link that sets a password. */
export const signIn: typeof english = {
  title: 'Ingia kwenye Tuma',
  name: 'Jina',
  password: 'Nenosiri',
  signIn: 'Ingia',
  forgot: 'Sina nenosiri, au nimelisahau',
  forgotHelp: 'Msimamizi hukutengenezea kiungo kinachofanya kazi mara moja. Kwacho unachagua nenosiri.',
  wrong: 'Jina au nenosiri si sahihi. Andika yote mawili tena.',
  wait: (until) => `Umejaribu mara nyingi mno. Subiri hadi ${until}, kisha ujaribu tena.`,
  busy: 'Watu wengi wanaingia wakati huu. Jaribu tena baada ya sekunde chache.',
  choosePassword: 'Chagua nenosiri lako',
  youAre: 'Unaingia kwa jina hili',
  newPassword: 'Nenosiri jipya',
  passwordHint: (least) =>
    `Angalau herufi ${least}. Maneno machache yanayofuatana yanatosha; si lazima alama wala tarakimu.`,
  setPassword: 'Hifadhi nenosiri hili na uingie',
  problems: {
    short: 'Nenosiri ni fupi mno: linahitaji herufi 12.',
    long: 'Nenosiri ni refu mno: herufi 200 zinatosha.',
    same: 'Nenosiri linarudia herufi chache zilezile. Chagua nyingine.',
    name: 'Nenosiri lina jina lako, ambalo wengine wanalijua. Chagua maneno mengine.',
  },
  linkEnded: 'Kiungo hiki hakifanyi kazi tena',
  linkEndedHelp:
    'Kimeshatumika, au kimepitwa na muda, au kipya kimechukua nafasi yake. Mwombe msimamizi kiungo kipya.',
  toSignIn: 'Ingia kwa nenosiri',
};
