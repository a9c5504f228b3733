import type { Frame } from '../frame.ts';
import { html, type Content } from './html.ts';

/** Words that come in English, from a network or from Tuma: a page in another language marks them as such. */
export function inEnglish({ language }: Pick<Frame, 'language'>, text: string): Content {
  return language === 'en' ? text : html`<span lang="en">${text}</span>`;
}
