import { styleText } from 'node:util';
import { Option } from 'commander';
import { printableJson } from '../../../domain/text/printable.ts';
import { campaignReport, type CampaignReport } from '../../../reports/campaign-report.ts';
import { reportCsv } from '../../../reports/csv-line.ts';
import { reportTable } from '../../../reports/report-table.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { findCampaign } from '../../arguments/find-campaign.ts';
import { writeOutFile } from '../../files/out-file.ts';
import { FORCE, outFlag } from '../../files/out-target.ts';

const FILE_WIDTH = 100;

/** `tuma report CAMPAIGN [--format table,json,csv] [--out F]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<campaign>', 'id, unique prefix of one, or name')
      .addOption(new Option('--format <format>', 'how it is written').choices(['table', 'json', 'csv']))
      .option('--out <file>', 'write it to a file')
      .option(...FORCE),
  async run(context, { args, flags }) {
    const { output, config } = context;
    const format = typeof flags['format'] === 'string' ? flags['format'] : output.json ? 'json' : 'table';
    const out = outFlag(flags, config);
    const reader = await context.reader();
    const campaign = await findCampaign(reader, args[0] ?? '');
    const { reportWaitMs } = config;
    const report = await campaignReport({ reader, campaign, now: context.clock.now(), reportWaitMs });
    if (out !== null) {
      await writeOutFile(out, [reportText(report, { context, format, file: true })], context.signal);
      output.result({ file: out, campaign: report.campaign }, () => `The report is in ${out}.`);
      return EXIT.done;
    }
    if (format === 'csv' && !output.json) output.data(reportText(report, { context, format, file: false }));
    else output.result(report, () => reportText(report, { context, format, file: false }));
    return EXIT.done;
  },
};

interface Writing {
  context: Context;
  format: string;
  file: boolean;
}

function reportText(report: CampaignReport, { context, format, file }: Writing): string {
  if (format === 'json') return `${printableJson(JSON.stringify(report))}\n`;
  if (format === 'csv') return reportCsv(report);
  const coloured = context.output.terminal && !file;
  const page = reportTable(report, {
    zone: context.config.zone,
    width: file ? FILE_WIDTH : context.output.width,
    paint: (style, text) => (coloured ? styleText(style, text) : text),
  });
  return `${page}\n`;
}
