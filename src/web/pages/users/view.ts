import { reaches } from '../../../domain/roles.ts';
import type { TokenRow, UserRow } from '../../../ledger/contracts/people.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { buttonForm, notice } from '../../views/notice.ts';
import { timeOf } from '../../views/time.ts';

/** What the page shows. */
export interface UsersShown {
  users: UserRow[];
  tokens: TokenRow[];
  /** True: campaigns need the approval of a second person. */
  approval: boolean;
}

/** The users, the tokens of programs, and whether campaigns need approval. */
export function usersView(frame: Frame, { users, tokens, approval }: UsersShown): Html {
  const { users: words } = frame.words;
  return html`<header class="head"><div><h1>${words.title}</h1></div><a class="button primary" href="/users/add">${words.add}</a></header>
<section aria-labelledby="people"><h2 id="people">${words.people}</h2>
${users.length === 0 ? html`<p class="text">${words.none}</p>` : usersTable(frame, users)}</section>
<section aria-labelledby="programs"><h2 id="programs">${words.programs}</h2>
${tokens.length === 0 ? html`<p class="text">${words.noTokens}</p>` : tokensTable(frame, tokens)}
<div class="actions"><a class="button" href="/users/tokens/add">${words.addToken}</a></div></section>
${approvalSection(frame, { isOn: approval, users })}`;
}

function approvalSection(frame: Frame, { isOn, users }: { isOn: boolean; users: UserRow[] }): Html {
  const { users: words } = frame.words;
  const isAlone = isOn && !users.some(({ role }) => reaches(role, 'approver'));
  const action = '/users/approval';
  const change = isOn
    ? [buttonForm(frame, { action, words: words.turnOff, fields: { on: 'no' } }), words.turnOffHelp]
    : [buttonForm(frame, { action, words: words.turnOn, fields: { on: 'yes' } }), words.turnOnHelp];
  return html`<section aria-labelledby="approval"><h2 id="approval">${words.approval}</h2>
<p class="text">${isOn ? words.approvalOn : words.approvalOff}</p>
${isAlone && notice({ look: 'warn', title: words.approvalNobody })}
<div class="verbs"><div>${change[0]}<small>${change[1]}</small></div></div></section>`;
}

/** The address of a user's page. */
export function userPath(name: string): string {
  return `/users/of/${encodeURIComponent(name)}`;
}

/** The address of a token. */
export function tokenPath(name: string): string {
  return `/users/tokens/of/${encodeURIComponent(name)}`;
}

function usersTable(frame: Frame, users: UserRow[]): Html {
  const { users: words, common } = frame.words;
  return html`<table class="stack" role="table">
<caption class="hear">${words.caption}</caption>
${headOf([words.name, words.role, words.seen, words.password])}
<tbody role="rowgroup">
${users.map((user) => {
  const { name, role, seenAt } = user;
  const isSelf = frame.who?.kind === 'person' && frame.who.name === name;
  return html`<tr role="row"><th scope="row" role="rowheader"><a href="${userPath(name)}">${name}</a>${isSelf && html` <small class="soft">(${words.you})</small>`}</th>${cell(words.role, common.roles[role])}${cell(words.seen, seenAt === null ? words.never : timeOf(frame, seenAt, frame.zone))}${cell(words.password, passwordOf(frame, user))}</tr>
`;
})}</tbody></table>`;
}

/** Whether a user has a password, or a link to set one. */
export function passwordOf(frame: Frame, { hasPassword, linkEndsAt }: UserRow): Html | string {
  const { users: words } = frame.words;
  if (hasPassword) return words.hasPassword;
  if (linkEndsAt === null || linkEndsAt <= frame.now) return words.noLink;
  return html`${words.linkUntil} ${timeOf(frame, linkEndsAt, frame.zone)}`;
}

function tokensTable(frame: Frame, tokens: TokenRow[]): Html {
  const { users: words, common } = frame.words;
  return html`<table class="stack" role="table">
<caption class="hear">${words.tokensCaption}</caption>
${headOf([words.name, words.role, words.used, words.ends, words.madeBy, words.action])}
<tbody role="rowgroup">
${tokens.map(
  ({ name, role, usedAt, endsAt, addedBy, user }) =>
    html`<tr role="row"><th scope="row" role="rowheader">${name}</th>${cell(words.role, common.roles[role])}${cell(words.used, usedAt === null ? words.never : timeOf(frame, usedAt, frame.zone))}${cell(words.ends, html`${endsAt <= frame.now && `${words.ended} `}${timeOf(frame, endsAt, frame.zone)}`)}${cell(words.madeBy, user === null ? html`${addedBy} <small class="soft">(${words.ofNobody})</small>` : addedBy)}${cell(words.action, html`<a href="${tokenPath(name)}/remove" aria-label="${words.removeTokenButton(name)}">${words.remove}</a>`)}</tr>
`,
)}</tbody></table>`;
}

function headOf(columns: readonly string[]): Html {
  return html`<thead role="rowgroup"><tr role="row">${columns.map((words) => html`<th scope="col" role="columnheader">${words}</th>`)}</tr></thead>`;
}

function cell(label: string, content: Html | string): Html {
  return html`<td role="cell" data-label="${label}">${content}</td>`;
}
