import { counted } from '../../../domain/money.ts';
import { Option } from 'commander';
import { TumaError } from '../../../domain/errors.ts';
import { campaignTexts } from '../../../domain/text/campaign-texts.ts';
import {
  EXPORT_DELIVERIES,
  EXPORT_STATES,
  type ExportRequest,
  exportPages,
  exportWorkbook,
  refusePurged,
} from '../../../reports/export.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import { findCampaign } from '../../arguments/find-campaign.ts';
import { writeOutFile } from '../../files/out-file.ts';
import { FORCE, formatFlag, outFlag } from '../../files/out-target.ts';

const FORMATS = ['csv', 'ndjson', 'xlsx'] as const;
type Format = (typeof FORMATS)[number];

/** `tuma export CAMPAIGN --out F [--format csv,ndjson,xlsx] [--with-text] [--with-fields] [--state S] [--as contacts]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<campaign>', 'id, unique prefix of one, or name')
      .requiredOption('--out <file>', 'the file; it holds full numbers and only you can read it')
      .option(...FORCE)
      .addOption(
        new Option(
          '--format <format>',
          'how it is written (default: by the ending of the file, else csv)',
        ).choices(FORMATS),
      )
      .addOption(new Option('--as <what>', 'the original rows, ready to upload again').choices(['contacts']))
      .addOption(
        new Option('--state <state>', 'only messages of this state or delivery').choices([...EXPORT_STATES]),
      )
      .addOption(
        new Option('--delivery <delivery>', 'only sent messages with this delivery').choices(
          EXPORT_DELIVERIES,
        ),
      )
      .option('--reason <words>', 'only messages with this reason, as the report shows it')
      .option('--with-text', 'with the text of each message')
      .option('--with-fields', 'with the columns of the contacts'),
  async run(context, { args, flags }) {
    const as = flags['as'] === 'contacts' ? 'contacts' : 'messages';
    const state = textOf(flags['state']);
    const delivery = textOf(flags['delivery']);
    const reason = textOf(flags['reason']);
    if (as === 'contacts' && state === null && delivery === null) {
      throw new TumaError('usage', {
        message: '--as contacts needs --state or --delivery.',
        hint: `Which messages' rows? One of ${EXPORT_STATES.join(', ')}.`,
      });
    }
    const file = outFlag(flags, context.config) ?? '';
    const reader = await context.reader();
    const campaign = await findCampaign(reader, args[0] ?? '', { beginning: true });
    if (as === 'contacts') await refusePurged(reader, campaign);
    const wanted = {
      reader,
      campaign,
      as,
      state,
      delivery,
      reason,
      texts: flags['withText'] === true ? campaignTexts(campaign) : undefined,
      withFields: flags['withFields'] === true,
      unreportedBefore: context.clock.now() - context.config.reportWaitMs,
    } as const;
    const { zone } = context.config;
    const counting = countRows(wanted, {
      format: formatFlag(flags['format'], { formats: FORMATS, file, otherwise: 'csv' }),
      zone,
    });
    await writeOutFile(file, counting.pages, context);
    const document = { file, rows: counting.rows(), campaign: { id: campaign.id, name: campaign.name } };
    context.output.result(document, () => `${counted(document.rows, 'row')} in ${file}`);
    return EXIT.done;
  },
};

function textOf(flag: unknown): string | null {
  return typeof flag === 'string' ? flag : null;
}

function countRows(
  wanted: Omit<ExportRequest, 'format'>,
  { format, zone }: { format: Format; zone: string },
): { pages: AsyncIterable<string | Uint8Array>; rows(): number } {
  let rows = 0;
  const counted = (count: number) => {
    rows += count;
  };
  const pages =
    format === 'xlsx'
      ? exportWorkbook(wanted, { zone, counted })
      : exportPages({ ...wanted, format }, counted);
  return { pages, rows: () => rows };
}
