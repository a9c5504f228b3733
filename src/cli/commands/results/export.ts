import { counted } from '../../../domain/money.ts';
import { Option } from 'commander';
import { TumaError } from '../../../domain/errors.ts';
import {
  EXPORT_DELIVERIES,
  EXPORT_STATES,
  EXPORT_FORMATS,
  exportContent,
  refusePurged,
} from '../../../reports/export.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import { findCampaign } from '../../arguments/find-campaign.ts';
import { writeOutFile } from '../../files/out-file.ts';
import { FORCE, formatFlag, outFlag } from '../../files/out-target.ts';

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
        ).choices(EXPORT_FORMATS),
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
    const wish = {
      campaign,
      format: formatFlag(flags['format'], { formats: EXPORT_FORMATS, file, otherwise: 'csv' }),
      as,
      state,
      delivery,
      reason,
      withText: flags['withText'] === true,
      withFields: flags['withFields'] === true,
    } as const;
    const place = { ...context.config, reader, now: context.clock.now() };
    let rows = 0;
    const pages = exportContent(place, wish, (count) => {
      rows += count;
    });
    await writeOutFile(file, pages, context);
    const document = { file, rows, campaign: { id: campaign.id, name: campaign.name } };
    context.output.result(document, () => `${counted(document.rows, 'row')} in ${file}`);
    return EXIT.done;
  },
};

function textOf(flag: unknown): string | null {
  return typeof flag === 'string' ? flag : null;
}
