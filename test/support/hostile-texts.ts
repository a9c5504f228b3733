/* What a stranger, a contact, the provider or an operator may write to take over a page, a header or a log. */

/** What each hostile text would do if a page ran it. `n` tells which of them it was. */
const attack = (n: number) => `alert('CANARY${n}')`;

/** The ways in which a careless page lets a text out of its place. */
const SHAPES = [
  (n: number) => `<script>${attack(n)}</script>`,
  (n: number) => `"><img src=x onerror=${attack(n)}>`,
  (n: number) => `<svg onload=${attack(n)}>`,
  (n: number) => `</title></textarea></style><iframe srcdoc="<script>${attack(n)}</script>">`,
  (n: number) => `<a href="javascript:${attack(n)}">x</a>`,
  (n: number) => `{{constructor.constructor('${attack(n)}')()}}`,
  (n: number) => `'-${attack(n)}-'`,
  (n: number) => `\u2028<math><mtext></form><form><mglyph><style></math><img src onerror=${attack(n)}>`,
  (n: number) => `<b hx-get="/CANARY${n}" hx-trigger="load" data-hx-on:load="${attack(n)}">x</b>`,
  (n: number) => `\r\n\r\ndata: <img src=x onerror=${attack(n)}>\r\n\r\n</li></td></main>`,
];

/** 200 of them; neighbours have different shapes. */
export const HOSTILE_TEXTS: readonly string[] = Array.from({ length: 20 }, (_, round) =>
  SHAPES.map((shape, index) => shape(round * SHAPES.length + index)),
).flat();

/** What would end a header, and begin others. */
export const HEADER_SPLIT = '\r\nSet-Cookie: stolen=1\r\nX-Split: 1\r\n\r\n';
