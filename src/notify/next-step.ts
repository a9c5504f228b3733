import type { NextStep } from '../domain/alert.ts';

/* Whoever reads an alert has a terminal, the pages, or both. So it names the command, and the page where there is one. */

/** The command and the page for the next step after an alert. */
export interface NextWords {
  /** Null: only a page helps. */
  next: string | null;
  /** The address of the page; null: nobody reaches the pages from elsewhere. */
  page: string | null;
}

/** Words the next step. `pages`: the origin under which people reach the pages; null: not known. */
export function nextWords(step: NextStep | null, pages: string | null): NextWords {
  if (step === null) return { next: null, page: null };
  const { command, path } = WAYS[step.look]('campaign' in step ? step.campaign : '');
  return { next: command, page: pages === null ? null : pages.replace(/\/$/, '') + path };
}

/** The ways of a step; those about no campaign take an empty id. */
const WAYS: Readonly<
  Record<NextStep['look'], (campaign: string) => { command: string | null; path: string }>
> = {
  report: (id) => ({ command: `tuma report ${id}`, path: `/campaigns/${id}` }),
  campaign: (id) => ({ command: `tuma status ${id}`, path: `/campaigns/${id}` }),
  uncertain: (id) => ({ command: `tuma resolve ${id} --evidence`, path: `/campaigns/${id}/uncertain` }),
  campaigns: () => ({ command: 'tuma status', path: '/campaigns' }),
  approvals: () => ({ command: null, path: '/campaigns' }),
  checks: () => ({ command: 'tuma doctor', path: '/checks' }),
  credit: () => ({ command: 'tuma balance', path: '/money' }),
  answers: () => ({ command: 'tuma answers list', path: '/decisions' }),
  words: () => ({ command: 'tuma webhooks list', path: '/decisions' }),
  webhooks: () => ({ command: 'tuma webhooks list', path: '/checks' }),
  audit: () => ({ command: 'tuma audit', path: '/audit' }),
  maybe_stop: () => ({ command: 'tuma inbox --maybe-stop', path: '/inbox' }),
};
