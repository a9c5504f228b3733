/** Words of the pages about users and tokens. */
export const users = {
  title: 'Users',
  add: 'Add a user',
  people: 'People who sign in',
  caption: 'Users, by name',
  none: 'Nobody signs in with a name yet. The pages open by the link of this machine, until there is a user.',
  name: 'Name',
  role: 'Role',
  seen: 'Last signed in',
  password: 'Password',
  never: 'never',
  hasPassword: 'set',
  linkUntil: 'waits, link until',
  noLink: 'none, and no link',
  you: 'you',
  programs: 'Programs that use the API',
  tokensCaption: 'Tokens, by name',
  noTokens: 'No program may use the API.',
  addToken: 'Add a token',
  used: 'Last used',
  ends: 'Ends',
  ended: 'ended',
  madeBy: 'Made by',
  ofNobody: 'at the machine; it ends with no user',
  action: 'Action',
  remove: 'Remove…',
  nameHint:
    'As it is typed to sign in: small letters and digits without spaces, such as peter.kamau or mary@example.org.',
  tokenNameHint: 'The name of the program, in small letters without spaces, such as billing.',
  whatMay: 'What may it do?',
  roleMeans: {
    viewer: 'Sees everything, with numbers partly hidden. Changes nothing and downloads nothing.',
    operator: 'Prepares, launches and steers campaigns; decides what waits for a decision.',
    approver: 'Also says yes or no to campaigns that others prepared.',
    admin: 'Also adds users and tokens.',
  },
  makeLink: 'Add, and make a link',
  makeToken: 'Make the token',
  days: 'Days until it ends',
  daysHint: 'From 1 to 3,650. After that the program is refused until it has a new token.',
  approval: 'Approval',
  approvalOn: 'A campaign needs the yes of an approver who did not prepare it.',
  approvalOff: 'Whoever prepares a campaign launches it, too.',
  approvalNobody: 'Nobody can say yes yet: no user is an approver or an admin.',
  turnOn: 'Ask for approval',
  turnOnHelp:
    'Each campaign then waits until an approver says yes. Nobody launches at the command line any more.',
  turnOff: 'Launch without approval',
  turnOffHelp: 'What waits for approval can then be launched by whoever prepared it.',
  problems: {
    name: 'This is not a name: 1 to 64 letters and digits without spaces; . _ - and @ may stand inside.',
    taken: 'This name is taken already.',
    role: 'Choose what it may do.',
    first: 'The first user has to be an admin: from then on the link of this machine opens nothing.',
    days: 'Give a whole number from 1 to 3,650.',
    self: 'You cannot do this to yourself. Ask another admin.',
  },
  linkFor: (name: string) => `A link for ${name}`,
  linkHelp: (until: string) =>
    `Send it to nobody else. It works once, until ${until}, and is shown this once. It lets the user choose a password.`,
  linkField: 'The link',
  homeEnded:
    'The link of this machine opens nothing from now on. If you are this user, open the new link now.',
  tokenFor: (name: string) => `The token of ${name}`,
  tokenHelp: (until: string) =>
    `It is shown this once. The program sends it with each call, as below, until ${until}.`,
  tokenField: 'The token',
  backToUsers: 'Back to the users',
  changeRole: 'Change the role',
  changeRoleHelp: 'The user must sign in again.',
  changeRoleTokens: (tokens: string) =>
    `The user made these tokens: ${tokens}. A role below that of a token ends the token at once.`,
  changeRoleAddresses: (addresses: string) =>
    `Alerts go to what the user added: ${addresses}. A role below admin ends that at once.`,
  newLink: 'Make a new link',
  newLinkHelp:
    'For a user who has no password, or forgot it. Links made before end; the password holds until a new one is set.',
  signOutUser: 'Sign out everywhere',
  signOutUserHelp: 'In every browser, such as on a phone that was lost. The user may sign in again.',
  removeUser: (name: string) => `Remove ${name}?`,
  removeUserHelp:
    'The user is signed out everywhere at once and cannot sign in any more. What the user did stays in the audit.',
  removeUserTokens: (count: number, names: string) =>
    count === 1
      ? `It ends 1 token that the user made: ${names}.`
      : `It ends ${count} tokens that the user made: ${names}.`,
  removeUserAddresses: (count: number, addresses: string) =>
    count === 1
      ? `It ends 1 address of alerts that the user added: ${addresses}. If the office needs it, add it again.`
      : `It ends ${count} addresses of alerts that the user added: ${addresses}. If the office needs them, add them again.`,
  removeUserButton: (name: string) => `Remove ${name}`,
  removeToken: (name: string) => `Remove the token ${name}?`,
  removeTokenHelp: 'The program is refused from its next call on.',
  removeTokenButton: (name: string) => `Remove the token ${name}`,
  keepUser: 'Keep this user',
  keepToken: 'Keep this token',
};
