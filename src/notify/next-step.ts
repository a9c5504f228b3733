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
  const [command, path] = waysOf(step);
  return { next: command, page: pages === null ? null : pages.replace(/\/$/, '') + path };
}

function waysOf(step: NextStep): [command: string | null, path: string] {
  switch (step.look) {
    case 'report':
      return [`tuma report ${step.campaign}`, `/campaigns/${step.campaign}`];
    case 'campaign':
      return [`tuma status ${step.campaign}`, `/campaigns/${step.campaign}`];
    case 'uncertain':
      return [`tuma resolve ${step.campaign} --evidence`, `/campaigns/${step.campaign}/uncertain`];
    default:
      return WAYS[step.look];
  }
}

const WAYS: Readonly<Record<Exclude<NextStep, { campaign: string }>['look'], [string | null, string]>> = {
  campaigns: ['tuma status', '/campaigns'],
  approvals: [null, '/campaigns'],
  checks: ['tuma doctor', '/checks'],
  credit: ['tuma balance', '/money'],
  answers: ['tuma answers list', '/decisions'],
  words: ['tuma webhooks list', '/decisions'],
  webhooks: ['tuma webhooks list', '/checks'],
  maybe_stop: ['tuma inbox --maybe-stop', '/inbox'],
};
