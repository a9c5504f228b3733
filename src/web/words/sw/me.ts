import type { me as english } from '../en/me.ts';

/** Words of the page about whoever is signed in. */
export const me: typeof english = {
  title: 'Akaunti yako',
  thisMachine: 'Kompyuta hii',
  roleIs: (role) => `Jukumu lako: ${role}.`,
  roleMeans: {
    viewer: 'Unaona kila kitu, namba zikiwa zimefichwa kiasi, na hubadilishi chochote.',
    operator: 'Unaandaa, unaanzisha na unaendesha kampeni.',
    approver: 'Unafanya anachofanya mwendeshaji, na unakubali au unakataa kampeni za wengine.',
    admin: 'Unaweza kufanya yote hapa, na kuongeza watumiaji na tokeni.',
  },
  signOutTitle: 'Ondoka',
  signOutHere: 'Kwenye kivinjari hiki.',
  everywhere: 'Ondoka kila mahali',
  everywhereHelp: 'Kwenye kila kivinjari kilichoingia kwa jina hili, hata hiki.',
};
