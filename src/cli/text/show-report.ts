import { styleText } from 'node:util';
import type { Campaign } from '../../domain/campaign.ts';
import { campaignReport } from '../../reports/campaign-report.ts';
import { exitCodeOf } from '../../reports/exit-code.ts';
import { reportTable } from '../../reports/report-table.ts';
import type { Context } from '../context.ts';

/** Prints the report of a campaign, and answers the exit code that its state stands for. */
export async function showReport(context: Context, campaign: Campaign): Promise<number> {
  const { config, output, clock } = context;
  const report = await campaignReport({
    reader: await context.reader(),
    campaign,
    now: clock.now(),
    reportWaitMs: config.reportWaitMs,
  });
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    output.terminal ? styleText(style, text) : text;
  output.result(report, () => reportTable(report, { zone: config.zone, width: output.width, paint }));
  return exitCodeOf(report);
}
