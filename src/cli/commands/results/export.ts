import { counted } from '../../../domain/money.ts';
import { Option } from 'commander';
import type { Campaign } from '../../../domain/campaign.ts';
import { TumaError } from '../../../domain/errors.ts';
import type { LedgerReader } from '../../../ledger/reader.ts';
import { EXPORT_STATES, type ExportRequest, exportPages } from '../../../reports/export.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import { findCampaign } from '../../arguments/find-campaign.ts';
import { writeOutFile } from '../../files/out-file.ts';
import { FORCE, outFlag } from '../../files/out-target.ts';

/** `tuma export CAMPAIGN --out F [--format csv,ndjson] [--as contacts --state S]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<campaign>', 'id, unique prefix of one, or name')
      .requiredOption('--out <file>', 'the file; it holds full numbers and only you can read it')
      .option(...FORCE)
      .addOption(
        new Option('--format <format>', 'how it is written').choices(['csv', 'ndjson']).default('csv'),
      )
      .addOption(new Option('--as <what>', 'the original rows, ready to upload again').choices(['contacts']))
      .addOption(
        new Option('--state <state>', 'only messages of this state or delivery').choices([...EXPORT_STATES]),
      ),
  async run(context, { args, flags }) {
    const as = flags['as'] === 'contacts' ? 'contacts' : 'messages';
    const state = typeof flags['state'] === 'string' ? flags['state'] : null;
    if (as === 'contacts' && state === null) {
      throw new TumaError('usage', {
        message: '--as contacts needs --state.',
        hint: `Which messages' rows? One of ${EXPORT_STATES.join(', ')}.`,
      });
    }
    const file = outFlag(flags, context.config) ?? '';
    const reader = await context.reader();
    const campaign = await findCampaign(reader, args[0] ?? '');
    if (as === 'contacts') await refusePurged(reader, campaign);
    const counting = countRows({
      reader,
      campaign,
      format: flags['format'] === 'ndjson' ? 'ndjson' : 'csv',
      as,
      state,
      unreportedBefore: context.clock.now() - context.config.reportWaitMs,
    });
    await writeOutFile(file, counting.pages, context.signal);
    const document = { file, rows: counting.rows(), campaign: { id: campaign.id, name: campaign.name } };
    context.output.result(document, () => `${counted(document.rows, 'row')} in ${file}`);
    return EXIT.done;
  },
};

/** The rows that were uploaded are gone: an empty file would look as if nobody was left to write to. */
async function refusePurged(reader: LedgerReader, { n, id }: Campaign): Promise<void> {
  if (!(await reader.purges()).some(({ campaign }) => campaign === n)) return;
  throw new TumaError('state_forbids', {
    message: `The contacts of campaign ${id} were removed (tuma purge).`,
    hint: 'Without --as contacts the export still has one row a message, without numbers.',
  });
}

function countRows(request: ExportRequest): { pages: AsyncIterable<string>; rows(): number } {
  let rows = 0;
  const pages = exportPages(request, (count) => {
    rows += count;
  });
  return { pages, rows: () => rows };
}
