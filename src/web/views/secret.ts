import { html, type Html } from './html.ts';
import { notice } from './notice.ts';

/** A secret that is shown this once, such as a link. */
export interface SecretShown {
  /** The page that it belongs to. */
  from: { path: string; title: string };
  title: string;
  help: string;
  label: string;
  secret: string;
  /** What else follows from it; null: nothing. */
  warning: string | null;
  /** The way on: where to, and its words. */
  next: { path: string; words: string };
}

/** The page that shows it. */
export function secretView({ from, title, help, label, secret, warning, next }: SecretShown): Html {
  return html`<header class="head"><div><p class="crumb"><a href="${from.path}">${from.title}</a></p><h1>${title}</h1></div></header>
${warning !== null && notice({ look: 'warn', title: warning })}
<section class="text"><p>${help}</p>
<div><label for="secret">${label}</label><textarea class="id" id="secret" rows="2" readonly spellcheck="false">${secret}</textarea></div>
<div class="actions"><a href="${next.path}">${next.words}</a></div></section>`;
}
