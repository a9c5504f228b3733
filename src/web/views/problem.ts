import { type Advice, sayAdvice } from '../../domain/advice.ts';
import type { ErrorCode, TumaError } from '../../domain/errors.ts';
import type { Frame } from '../frame.ts';
import { html, type Html } from './html.ts';

/** The parts of a TumaError that a page shows. `code`: as it was kept, so it may be one that is no more. */
export interface ShownError extends Pick<TumaError, 'message' | 'hint' | 'advice'> {
  code: string;
}

/** An error as the title and the text of a notice. */
export interface ProblemParts {
  title: string;
  /** Null: the title says it all. */
  text: Html | null;
}

/**
 * An error of a use case for a page. Errors are written in English: on a page in another language a sentence for the
 * code stands first, and the English words follow, because they hold the facts.
 */
export function problemParts(frame: Pick<Frame, 'words'>, error: ShownError): ProblemParts {
  return partsOf(frame, error, { links: true });
}

/** The same in one line. */
export function problemText(frame: Pick<Frame, 'words'>, error: ShownError): Html {
  return inLine(partsOf(frame, error, { links: true }));
}

/** The same in one line, for a field. It holds no link, because the list of errors makes a link of it. */
export function problemLine(frame: Pick<Frame, 'words'>, error: ShownError): Html {
  return inLine(partsOf(frame, error, { links: false }));
}

function inLine({ title, text }: ProblemParts): Html {
  return html`${sentence(title)}${text !== null && html` ${text}`}`;
}

function partsOf(
  frame: Pick<Frame, 'words'>,
  error: ShownError,
  { links }: { links: boolean },
): ProblemParts {
  const { message, hint, advice } = error;
  const help = advice === null ? null : adviceWords(frame, advice, links);
  const title = frame.words.errorTitles?.[error.code as ErrorCode];
  if (title === undefined) {
    if (hint === null && help === null) return { title: message, text: null };
    return { title: message, text: html`${hint}${hint !== null && help !== null && ' '}${help}` };
  }
  const english = html`<small lang="en">${sentence(message)}${hint !== null && ` ${hint}`}</small>`;
  return { title, text: html`${help}${help !== null && html`<br>`}${english}` };
}

/** What to do, and a link to where it is done. Null: a page has nothing to say about it. */
function adviceWords({ words }: Pick<Frame, 'words'>, advice: Advice, links: boolean): Html | null {
  const says = sayAdvice(words.advice, advice);
  if (says === null) return null;
  const path = links ? pathOf(advice) : null;
  return path === null ? html`${says}` : html`<a href="${path}">${says}</a>`;
}

/** Pages on which something is done that is about no campaign. */
const PATHS: Partial<Readonly<Record<Advice['action'], string>>> = {
  list_answers: '/decisions',
  list_users: '/users',
  list_tokens: '/users',
  rename_token: '/users',
  see_inbox: '/inbox',
  see_settings: '/checks',
};

function pathOf(advice: Advice): string | null {
  if (advice.action === 'unmap_answer') return `/decisions/answers/${advice.answer}`;
  if (advice.action === 'change_user') return `/users/of/${encodeURIComponent(advice.name)}`;
  if ('campaign' in advice && advice.campaign !== null) {
    const below = { find_message: '/people', find_uncertain: '/uncertain' };
    const { action } = advice;
    return `/campaigns/${advice.campaign}${action === 'find_message' || action === 'find_uncertain' ? below[action] : ''}`;
  }
  return PATHS[advice.action] ?? null;
}

/** With a full stop, where it has no end of a sentence. */
function sentence(text: string): string {
  return /[.!?:…]$/.test(text) ? text : `${text}.`;
}
