import { ROLES } from '../../../domain/roles.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { csrfField } from '../../views/layout.ts';
import { errorSummary, type FieldError } from '../../views/notice.ts';

/** What was typed into the form of a new user or token, and what is wrong with it. */
export interface NewAccount {
  name: string;
  role: string;
  /** Of a token only. */
  days: string;
  errors: readonly FieldError[];
}

/** The form of a new user. */
export function addUserView(frame: Frame, given: NewAccount): Html {
  const { users: words } = frame.words;
  return formOf(frame, given, {
    action: '/users/add',
    title: words.add,
    hint: words.nameHint,
    button: words.makeLink,
    more: null,
  });
}

/** The form of a new token. */
export function addTokenView(frame: Frame, given: NewAccount): Html {
  const { users: words } = frame.words;
  return formOf(frame, given, {
    action: '/users/tokens/add',
    title: words.addToken,
    hint: words.tokenNameHint,
    button: words.makeToken,
    more: field(given, {
      id: 'days',
      label: words.days,
      hint: words.daysHint,
      input: (described) =>
        html`<input class="w1" id="days" name="days" inputmode="numeric" value="${given.days}" aria-describedby="${described}"${isWrong(given, 'days') && html` aria-invalid="true"`} required>`,
    }),
  });
}

interface FormParts {
  action: string;
  title: string;
  hint: string;
  button: string;
  more: Html | null;
}

function formOf(frame: Frame, given: NewAccount, { action, title, hint, button, more }: FormParts): Html {
  const { users: words, common } = frame.words;
  return html`<header class="head"><div><p class="crumb"><a href="/users">${words.title}</a></p><h1>${title}</h1></div></header>
${errorSummary(frame, given.errors)}
<form class="form text" action="${action}" method="post">${csrfField(frame)}
${field(given, {
  id: 'name',
  label: words.name,
  hint,
  input: (described) =>
    html`<input class="w3" id="name" name="name" value="${given.name}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="${described}"${isWrong(given, 'name') && html` aria-invalid="true"`} required>`,
})}
${roleChoices(frame, given)}
${more}
<div class="actions"><button class="primary">${button}</button><a href="/users">${common.back}</a></div>
</form>`;
}

/** The roles, each with what it may do. */
export function roleChoices(frame: Frame, given: Pick<NewAccount, 'role' | 'errors'>): Html {
  const { users: words, common } = frame.words;
  const [error] = given.errors.filter(({ field: id }) => id === 'viewer');
  return html`<fieldset class="${error !== undefined && 'wrong'}"><legend>${words.whatMay}</legend>
${error !== undefined && html`<p class="error">${error.message}</p>`}
${ROLES.map(
  (role) =>
    html`<div class="choice"><input id="${role}" type="radio" name="role" value="${role}" aria-describedby="${role}-hint"${given.role === role && html` checked`}><label for="${role}"><b>${common.roles[role]}</b></label><p class="hint" id="${role}-hint">${words.roleMeans[role]}</p></div>
`,
)}</fieldset>`;
}

function field(
  { errors }: Pick<NewAccount, 'errors'>,
  parts: { id: string; label: string; hint: string; input: (described: string) => Html },
): Html {
  const { id, label, hint, input } = parts;
  const [error] = errors.filter(({ field: wrong }) => wrong === id);
  const described = `${id}-hint${error === undefined ? '' : ` ${id}-error`}`;
  return html`<div class="${error !== undefined && 'wrong'}"><label for="${id}">${label}</label>
<p class="hint" id="${id}-hint">${hint}</p>
${error !== undefined && html`<p class="error" id="${id}-error">${error.message}</p>`}
${input(described)}</div>`;
}

function isWrong({ errors }: Pick<NewAccount, 'errors'>, id: string): boolean {
  return errors.some(({ field: wrong }) => wrong === id);
}
