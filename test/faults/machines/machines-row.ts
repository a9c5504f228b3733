import type { MachinesRun } from './run-machines.ts';

const END = '<!-- machines: next row above -->';
const MINUTE_MS = 60_000;

/** The page with a row more of its table of machines. Throws where it has none. */
export function withMachinesRow(page: string, run: MachinesRun & { date: string; commit: string }): string {
  if (!page.includes(END)) throw new Error('the page has no table of machines');
  const { findings, machines, messages } = run;
  const command = `npm run soak -- --machines ${machines} --messages ${messages}${run.cuts ? ' --cut' : ''}`;
  const cells = [
    run.date,
    `\`${run.commit}\``,
    `\`${command}\``,
    ...[run.killed, run.lost, findings.messages, findings.double, findings.lost, findings.uncertain].map(
      (n) => n.toLocaleString('en'),
    ),
    (run.tookMs / MINUTE_MS).toFixed(1),
    `${Math.round(run.perSecond)}/s`,
  ];
  return page.replace(END, () => `| ${cells.join(' | ')} |\n${END}`);
}
