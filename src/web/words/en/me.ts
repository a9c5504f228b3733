/** Words of the page about whoever is signed in. */
export const me = {
  title: 'Your account',
  thisMachine: 'This machine',
  roleIs: (role: string) => `Your role: ${role}.`,
  roleMeans: {
    viewer: 'You see everything, with numbers partly hidden, and change nothing.',
    operator: 'You prepare, launch and steer campaigns.',
    approver: 'You do what an operator does, and say yes or no to campaigns of others.',
    admin: 'You may do everything here, and add users and tokens.',
  },
  signOutTitle: 'Sign out',
  signOutHere: 'In this browser.',
  everywhere: 'Sign out everywhere',
  everywhereHelp: 'In every browser that is signed in with this name, this one too.',
};
