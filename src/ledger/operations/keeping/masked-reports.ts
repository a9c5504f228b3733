import { type Row, runEach, type Statement } from '../../connection.ts';
import { maskText } from '../../../domain/text/mask.ts';

/**
 * Removes the mobiles of these reports (id, mobile, word, reason), and covers numbers among their words: "No route to
 * 254712345678". `write`: the purge's mask_report. Returns how many reports had any.
 */
export async function maskReports(write: Statement, reports: readonly Row[]): Promise<number> {
  const masked = reports.flatMap(({ id, mobile, word, reason }) => {
    const [said, why] = [covered(word), covered(reason)];
    return mobile === null && said === word && why === reason ? [] : [[Number(id), said, why]];
  });
  return await runEach(write, masked);
}

function covered(text: Row[string] | undefined): string | null {
  return typeof text === 'string' ? maskText(text) : null;
}
