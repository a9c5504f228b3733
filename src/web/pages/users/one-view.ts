import type { TokenRow, UserRow } from '../../../ledger/contracts/people.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { csrfField } from '../../views/layout.ts';
import { buttonForm } from '../../views/notice.ts';
import { facts } from '../../views/parts.ts';
import { timeOf } from '../../views/time.ts';
import { roleChoices } from './form-view.ts';
import { passwordOf, userPath } from './view.ts';

/** What ends with a user. */
export interface EndsWithUser {
  /** That the user made. */
  tokens: readonly TokenRow[];
  /** Of alerts, as they may be shown. */
  addresses: readonly string[];
}

/** The page of one user. `isSelf`: it is about whoever looks at it, who changes nothing of it. */
export function userView(
  frame: Frame,
  user: UserRow,
  { isSelf, ends }: { isSelf: boolean; ends: EndsWithUser },
): Html {
  const { users: words, common } = frame.words;
  const { name, role, seenAt } = user;
  return html`<header class="head"><div><p class="crumb"><a href="/users">${words.title}</a></p><h1>${name}</h1></div></header>
${facts([
  [words.role, common.roles[role]],
  [words.seen, seenAt === null ? words.never : timeOf(frame, seenAt, frame.zone)],
  [words.password, passwordOf(frame, user)],
])}
${isSelf ? html`<p class="text">${words.problems.self}</p>` : changes(frame, user, ends)}`;
}

function changes(frame: Frame, { name, role }: UserRow, { tokens, addresses }: EndsWithUser): Html {
  const { users: words, common } = frame.words;
  const named = tokens.map((token) => `${token.name} (${common.roles[token.role]})`).join(', ');
  const path = userPath(name);
  return html`<section class="text" aria-labelledby="role"><h2 id="role">${words.changeRole}</h2>
<form class="form" action="${path}/role" method="post">${csrfField(frame)}
${roleChoices(frame, { role, errors: [] })}
${named !== '' && html`<p>${words.changeRoleTokens(named)}</p>`}
${addresses.length > 0 && html`<p>${words.changeRoleAddresses(addresses.join(', '))}</p>`}
<div class="actions"><button>${words.changeRole}</button><small class="soft">${words.changeRoleHelp}</small></div></form></section>
<section class="text"><div class="verbs">
<div>${buttonForm(frame, { action: `${path}/link`, words: words.newLink })}<small>${words.newLinkHelp}</small></div>
<div>${buttonForm(frame, { action: `${path}/sign-out`, words: words.signOutUser })}<small>${words.signOutUserHelp}</small></div>
<div><a class="button danger" href="${path}/remove">${words.remove}</a><small>${words.removeUserHelp}</small></div>
</div></section>`;
}
