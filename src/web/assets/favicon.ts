/** The sign of Tuma for a browser's tab. */
export const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#2340a7" d="M3 2h18a2 2 0 0 1 2 2v13a2 2 0 0 1-2 2H9l-6 4v-4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2z"/><path fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" d="M6.5 10.5h10m-4-4 4 4-4 4"/></svg>';
