import { REPORT_KEYS } from '../../reports/campaign-report.ts';
import { csvLine, REPORT_COLUMNS } from '../../reports/csv-line.ts';
import { EXPORT_COLUMNS } from '../../reports/export.ts';
import { INBOX_COLUMNS } from './inbox-file.ts';

/* How the files begin that `--out` writes. `out-target.ts` tells by it whether Tuma wrote a file. */

/** Whether the first characters of a file are those of one format. */
export type Beginning = (text: string) => boolean;

/** A beginning never needs more of a file than this. */
export const BEGINNING_BYTES = 4_096;
/** So many keys in a row are in no other format. */
const TELLING_KEYS = 4;
/** A string or a number as JSON writes it. */
const JSON_VALUE = String.raw`(?:"(?:[^"\\]|\\.)*"|[\w.-]+)`;

const [reportId] = REPORT_KEYS;

/** The header of `optouts export`. */
export const OPT_OUT_COLUMNS = ['mobile', 'kind', 'sender', 'source', 'since', 'evidence'];

/** The formats of each command that have a beginning of their own. */
export const OWN_FILES = {
  messages: [csvBegins(EXPORT_COLUMNS), jsonBegins('{', EXPORT_COLUMNS)],
  report: [csvBegins(REPORT_COLUMNS, `campaign.${reportId},`), jsonBegins('{"campaign":{', REPORT_KEYS)],
  replies: [csvBegins(INBOX_COLUMNS)],
  optOuts: [csvBegins(OPT_OUT_COLUMNS)],
  /** Pages, contacts and downloads begin with anything. */
  unmarked: [],
} satisfies Record<string, readonly Beginning[]>;

function csvBegins(columns: readonly string[], then = ''): Beginning {
  const first = csvLine(columns) + then;
  return (text) => text.startsWith(first);
}

function jsonBegins(first: string, keys: readonly string[]): Beginning {
  const fields = keys.slice(0, TELLING_KEYS).map((key) => `"${key}":${JSON_VALUE}`);
  const begins = new RegExp(`^${fields.join(',')},`);
  return (text) => text.startsWith(first) && begins.test(text.slice(first.length));
}
