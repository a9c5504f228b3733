import type { CampaignReport } from './campaign-report.ts';
import { csvLine } from './csv-line.ts';

/** The header of the file. */
export const REPORT_COLUMNS: readonly string[] = ['field', 'value'];

/** The report as two columns for a spreadsheet, `field,value`, with the names of the JSON form joined by dots. */
export function reportCsv(report: CampaignReport): string {
  return [REPORT_COLUMNS, ...flatten('', report)].map(csvLine).join('');
}

function* flatten(path: string, value: unknown): Generator<[string, string]> {
  if (value === null || value === undefined) yield [path, ''];
  else if (typeof value !== 'object') yield [path, `${value as string | number | boolean}`];
  else if (Array.isArray(value))
    yield* value.flatMap((item, index) => [...flatten(`${path}.${index + 1}`, item)]);
  else {
    for (const [key, item] of Object.entries(value))
      yield* flatten(path === '' ? key : `${path}.${key}`, item);
  }
}
