import { compileTemplate, type DoubtfulCell, type Template, type TemplateOptions } from './template.ts';

/*
 * The texts of a series of reminders. A message of a series with own texts has one more cell than its row: its
 * offset. So its text is known wherever its cells are.
 */

/** The texts of one campaign. */
export interface SeriesTemplates {
  /** Renders cells that may end with an offset. */
  render: Template['render'];
  /** The columns that any of the texts uses. */
  uses: Template['uses'];
  /** The doubtful cells of a row in any of the texts. */
  doubts: Template['doubts'];
  /** The cells of one reminder of the series: those of its row, and its offset where texts differ. */
  cellsOf(cells: string[], offset: string | undefined): string[];
}

/**
 * Compiles the text of a campaign, and the own texts of its series by offset. Throws `template_invalid` with the
 * place of the wrong text: `placeOf` gives that of an own one.
 */
export function seriesTemplates(
  options: TemplateOptions,
  texts: Readonly<Record<string, string>> | undefined,
  placeOf?: (offset: string) => TemplateOptions['placeOf'],
): SeriesTemplates {
  const usual = compileTemplate(options);
  if (texts === undefined) return { ...usual, cellsOf: (cells) => cells };
  const own = new Map(
    Object.entries(texts).map(([offset, source]) => [
      offset,
      compileTemplate({ ...options, source, placeOf: placeOf?.(offset) }),
    ]),
  );
  const width = options.header.length;
  return {
    render: (cells) => (own.get(cells[width] ?? '') ?? usual).render(cells),
    uses: [usual, ...own.values()].flatMap(({ uses }) => uses),
    doubts: (cells) => eachField([usual, ...own.values()].flatMap((template) => template.doubts(cells))),
    cellsOf: (cells, offset) => (offset === undefined ? cells : [...cells, offset]),
  };
}

/** Several texts may name a field. */
function eachField(found: DoubtfulCell[]): DoubtfulCell[] {
  return found.length < 2 ? found : [...new Map(found.map((each) => [each.field, each])).values()];
}
