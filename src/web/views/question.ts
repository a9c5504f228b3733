import type { Frame } from '../frame.ts';
import { html, type Html } from './html.ts';
import { csrfField } from './layout.ts';

/** A question before something that cannot be undone. */
export interface Question {
  /** The page that it belongs to. */
  from: { path: string; title: string };
  title: string;
  help: readonly string[];
  action: string;
  button: string;
  keep: { words: string; path: string };
}

/** The page of such a question. */
export function questionView(frame: Frame, { from, title, help, action, button, keep }: Question): Html {
  return html`<header class="head"><div><p class="crumb"><a href="${from.path}">${from.title}</a></p><h1>${title}</h1></div></header>
<section class="text">${help.map((each) => html`<p>${each}</p>`)}</section>
<form class="form text" action="${action}" method="post">${csrfField(frame)}
<div class="actions"><button class="danger">${button}</button><a href="${keep.path}">${keep.words}</a></div></form>`;
}
