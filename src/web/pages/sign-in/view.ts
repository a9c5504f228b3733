import { SHORTEST_PASSWORD } from '../../../campaign/people/passwords.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { csrfField } from '../../views/layout.ts';
import { errorSummary, notice } from '../../views/notice.ts';

/** What was typed before, and why it was refused. */
export interface SignInShown {
  name: string;
  /** The path to go to afterwards. */
  next: string;
  /** Why nobody was signed in; null: nothing was tried yet. */
  refused: string | null;
}

/** The page to sign in. */
export function signInView(frame: Frame, { name, next, refused }: SignInShown): Html {
  const { signIn: words } = frame.words;
  return html`<h1>${words.title}</h1>
${refused !== null && html`<div role="alert">${notice({ look: 'bad', title: refused })}</div>`}
<form class="form" action="/sign-in" method="post">
${csrfField(frame)}<input type="hidden" name="next" value="${next}">
<div><label for="user">${words.name}</label>
<input id="user" name="user" value="${name}" autocomplete="username" autocapitalize="none" spellcheck="false" required></div>
<div><label for="password">${words.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required></div>
<button class="primary">${words.signIn}</button>
</form>
<details><summary>${words.forgot}</summary><p>${words.forgotHelp}</p></details>`;
}

/** The page that a link for a new password opens. */
export function passwordView(
  frame: Frame,
  { user, link, problem }: { user: string; link: string; problem: string | null },
): Html {
  const { signIn: words } = frame.words;
  const wrong = problem !== null;
  return html`<h1>${words.choosePassword}</h1>
<form class="form" action="/password" method="post">
${errorSummary(frame, wrong ? [{ field: 'password', message: problem }] : [])}
${csrfField(frame)}<input type="hidden" name="link" value="${link}">
<div><label for="user">${words.youAre}</label>
<input id="user" name="user" value="${user}" autocomplete="username" readonly></div>
<div class="${wrong ? 'wrong' : ''}"><label for="password">${words.newPassword}</label>
<p class="hint" id="password-hint">${words.passwordHint(SHORTEST_PASSWORD)}</p>
${wrong && html`<p class="error" id="password-error">${problem}</p>`}
<input id="password" name="password" type="password" autocomplete="new-password" aria-describedby="password-hint${wrong && ' password-error'}"${wrong && html` aria-invalid="true"`} required></div>
<button class="primary">${words.setPassword}</button>
</form>`;
}

/** The page of a link that is of no use any more. */
export function endedLinkView({ words: { signIn: words } }: Frame): Html {
  return html`<h1>${words.linkEnded}</h1>
<p>${words.linkEndedHelp}</p>
<p><a href="/sign-in">${words.toSignIn}</a></p>`;
}
