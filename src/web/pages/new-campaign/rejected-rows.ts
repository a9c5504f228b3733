import type { Content, Html } from '../../views/html.ts';
import { whole } from '../../../domain/money.ts';
import type { RowReason } from '../../../domain/row-reason.ts';
import { maskText } from '../../../domain/text/mask.ts';
import type { Frame } from '../../frame.ts';
import { html } from '../../views/html.ts';
import { table } from '../../views/table.ts';
import { countryName } from './moments.ts';
import { addressOf } from './steps.ts';

/** A reason why rows get nothing, with their first lines. */
interface RejectedReason {
  reason: RowReason;
  count: number;
  lines: readonly number[];
  /** What stands in the first of them, masked; left out: it is not known. */
  example?: string;
}

/** The rows that get nothing by their reason, with their sum. */
export function rejectedRows(frame: Frame, reasons: readonly RejectedReason[]): Html {
  const { newCampaign: words, common } = frame.words;
  const hasExamples = reasons.some(({ example }) => example !== undefined);
  const all = reasons.reduce((sum, { count }) => sum + count, 0);
  const columns = [{ name: words.whyNot }, { name: words.rows, isNumber: true }, { name: words.lines }];
  const rows = reasons.map((each): Content[] => [
    reasonWords(frame, each.reason),
    whole(each.count),
    linesOf(frame, each),
    ...(hasExamples ? [each.example && html`<code>${each.example}</code>`] : []),
  ]);
  return table({
    caption: words.rejectsCaption,
    columns: hasExamples ? [...columns, { name: words.example }] : columns,
    rows,
    total: [common.all, whole(all), null, ...(hasExamples ? [null] : [])],
  });
}

/** The link to the rejected rows of a plan. */
export function rejectsLink({ words: { newCampaign: words } }: Frame, id: string, count: number): Html {
  return html`<p><a href="${addressOf(id, 'rejects')}" download>${words.downloadRejects(whole(count))}</a> ${words.downloadAfter}</p>`;
}

/** A reason why a row gets nothing, in the words of the pages. A name of a column is the person's. */
export function reasonWords(
  { language, words: { newCampaign: words } }: Pick<Frame, 'language' | 'words'>,
  reason: RowReason,
): string {
  if (typeof reason === 'string') return words.reasons[reason];
  if (reason.code === 'missing') return words.missingField(maskText(reason.field));
  if (reason.code === 'placeholder')
    return reason.field === null ? words.fieldMarks : words.fieldMarksIn(maskText(reason.field));
  return reason.country === null ? words.noCountry : words.abroad(countryName(language, reason.country));
}

/** The first lines of a reason, and how many more there are. */
function linesOf({ words: { newCampaign: words } }: Frame, { lines, count }: RejectedReason): string {
  const shown = lines.map(whole).join(', ');
  return count > lines.length ? words.moreLines(shown, whole(count - lines.length)) : shown;
}
