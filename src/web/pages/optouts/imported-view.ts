import type { UploadedResult } from '../../../campaign/operator/uploaded-opt-outs.ts';
import { whole } from '../../../domain/money.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { shownText } from '../../views/number.ts';
import { table } from '../../views/table.ts';

/** What the import of a list did: all its rows, in parts that add up. */
export function importedView(frame: Frame, name: string, result: UploadedResult): Html {
  const { optouts: words } = frame.words;
  const { read, added, known, dead, invalid, rejected, sheet } = result;
  const parts = [
    [words.added, added],
    [words.known, known],
    [words.dead, dead],
    [words.invalid, invalid],
  ] as const;
  return html`<header><p class="crumb"><a href="/optouts">${words.title}</a></p>
<h1>${words.imported(name)}</h1></header>
<table class="sum"><caption class="hear">${words.read}</caption><tbody>
${parts.map(
  ([part, count]) => html`<tr><th scope="row">${part}</th><td class="n">${whole(count)}</td></tr>
`,
)}<tr class="total"><th scope="row">${words.read}</th><td class="n">${whole(read)}</td></tr>
</tbody></table>
${sheet !== null && sheet.of > 1 && html`<p>${words.oneSheet(shownText(frame, sheet.name), whole(sheet.of))}</p>`}
${rejected.length > 0 && rejects(frame, result)}
<p><a href="/optouts">${words.toList}</a></p>`;
}

function rejects(frame: Frame, { rejected }: UploadedResult): Html {
  const { optouts: words } = frame.words;
  return html`<section aria-labelledby="rejects"><h2 id="rejects">${words.rejects}</h2>
<p>${words.rejectsHelp(whole(rejected.length))}</p>
${table({
  caption: words.rejects,
  columns: [{ name: words.line }, { name: words.why }, { name: words.detail }],
  rows: rejected.map(({ line, reason, detail }) => [whole(line), reason, shownText(frame, detail)]),
})}</section>`;
}
