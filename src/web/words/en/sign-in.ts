/** Words of signing in, and of the link that sets a password. */
export const signIn = {
  title: 'Sign in to Tuma',
  name: 'Name',
  password: 'Password',
  signIn: 'Sign in',
  forgot: 'I have no password, or forgot it',
  forgotHelp: 'An admin makes you a link that works once. It lets you choose a password.',
  wrong: 'Name or password is wrong. Type both again.',
  wait: (until: string) => `Too many tries. Wait until ${until}, then try again.`,
  busy: 'Many people sign in at this moment. Try again in a few seconds.',
  choosePassword: 'Choose your password',
  youAre: 'You sign in with this name',
  newPassword: 'New password',
  passwordHint: (least: number) =>
    `At least ${least} characters. A few words in a row are good, and need no signs or digits.`,
  setPassword: 'Keep this password and sign in',
  problems: {
    short: 'The password is too short: it needs 12 characters.',
    long: 'The password is too long: 200 characters are enough.',
    same: 'The password repeats the same few characters. Take other ones.',
    name: 'The password holds your name, which others know. Take other words.',
  },
  linkEnded: 'This link does not work any more',
  linkEndedHelp:
    'It was used already, or it is too old, or a newer one took its place. Ask an admin for a new link.',
  toSignIn: 'Sign in with a password',
};
