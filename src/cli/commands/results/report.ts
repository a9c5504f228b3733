import { styleText } from 'node:util';
import { Option } from 'commander';
import type { Campaign } from '../../../domain/campaign.ts';
import { printableJson } from '../../../domain/text/printable.ts';
import { campaignReport, type CampaignReport } from '../../../reports/campaign-report.ts';
import { figuresCsv } from '../../../reports/figures.ts';
import { reportHtml } from '../../../reports/report-html.ts';
import { reportTable } from '../../text/report-table.ts';
import { sentOverTime } from '../../../reports/sent-over-time.ts';
import { reportRow } from '../../../reports/statement-rows.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { findCampaign } from '../../arguments/find-campaign.ts';
import { writeOutFile } from '../../files/out-file.ts';
import { FORCE, formatFlag, outFlag } from '../../files/out-target.ts';

const FILE_WIDTH = 100;
const FORMATS = ['table', 'json', 'csv', 'html'] as const;

/** `tuma report CAMPAIGN [--format table,json,csv,html] [--out F]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<campaign>', 'id, unique prefix of one, or name')
      .addOption(new Option('--format <format>', 'how it is written').choices(FORMATS))
      .option('--out <file>', 'write it to a file')
      .option(...FORCE),
  async run(context, { args, flags }) {
    const { output, config } = context;
    const out = outFlag(flags, config);
    const otherwise = output.json ? 'json' : 'table';
    const format = formatFlag(flags['format'], { formats: FORMATS, file: out, otherwise });
    const reader = await context.reader();
    const campaign = await findCampaign(reader, args[0] ?? '', { beginning: true });
    const { reportWaitMs } = config;
    const report = await campaignReport({ reader, campaign, now: context.clock.now(), reportWaitMs });
    const text = await reportText(report, { context, format, campaign, file: out !== null });
    if (out !== null) {
      await writeOutFile(out, [text], context);
      output.result({ file: out, campaign: report.campaign }, () => `The report is in ${out}.`);
      return EXIT.done;
    }
    if ((format === 'csv' || format === 'html') && !output.json) output.data(text);
    else output.result(report, () => text);
    return EXIT.done;
  },
};

interface Writing {
  context: Context;
  format: (typeof FORMATS)[number];
  campaign: Campaign;
  file: boolean;
}

async function reportText(report: CampaignReport, writing: Writing): Promise<string> {
  const { context, format, file } = writing;
  const { zone } = context.config;
  if (format === 'json') return `${printableJson(JSON.stringify(report))}\n`;
  if (format === 'csv') return figuresCsv(reportRow(report));
  if (format === 'html') return htmlText(report, writing);
  const coloured = context.output.terminal && !file;
  const page = reportTable(report, {
    networks: await context.networkNames(),
    zone,
    width: file ? FILE_WIDTH : context.output.width,
    paint: (style, text) => (coloured ? styleText(style, text) : text),
  });
  return `${page}\n`;
}

async function htmlText(report: CampaignReport, { context, campaign }: Writing): Promise<string> {
  const { first_sent_at, last_sent_at } = report.throughput;
  const [first, last] = [first_sent_at, last_sent_at].map((at) => (at === null ? null : Date.parse(at)));
  const times = { campaign, first: first ?? null, last: last ?? null };
  const spans = await sentOverTime(await context.reader(), times);
  return reportHtml(
    {
      report,
      spans,
      text: campaign.template,
      sender: campaign.sender,
      madeAt: context.clock.now(),
      networks: await context.networkNames(),
    },
    context.config.zone,
  );
}
