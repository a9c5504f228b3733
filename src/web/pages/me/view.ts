import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { buttonForm } from '../../views/notice.ts';
import type { Principal } from '../../who.ts';

/** Who is signed in, and what the role allows. */
export function meView(frame: Frame, { name, role, kind }: Principal): Html {
  const { me: words, common } = frame.words;
  return html`<header class="head"><div><h1>${kind === 'home' ? words.thisMachine : name}</h1>
<p class="soft">${words.roleIs(common.roles[role])} ${words.roleMeans[role]}</p></div></header>
<section class="text"><h2>${words.signOutTitle}</h2>
<div class="verbs">
<div>${buttonForm(frame, { action: '/sign-out', words: common.signOut })}<small>${words.signOutHere}</small></div>
<div>${buttonForm(frame, { action: '/sign-out-everywhere', words: words.everywhere })}<small>${words.everywhereHelp}</small></div>
</div></section>`;
}
