import { TumaError } from '../../../domain/errors.ts';
import type { LedgerReader, Violation } from '../../../ledger/contracts/reader.ts';
import { contradictionParts } from '../../../reports/contradictions.ts';
import { contradictionNote } from '../../text/decision-text.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { repeatedPart } from '../../../reports/webhook-list.ts';
import { repeatedWords } from '../../text/unmatched-text.ts';
import { findCampaign } from '../../arguments/find-campaign.ts';

const MOST_NAMED = 50;
const MOST_REPEATED = 10;

/** `tuma verify [CAMPAIGN]` */
export const command: CommandModule = {
  declare: (command) =>
    void command.argument('[campaign]', 'only this one: id, unique prefix of one, or name'),
  async run(context, { args }) {
    const reader = await context.reader();
    const campaign = args[0] === undefined ? null : await findCampaign(reader, args[0]);
    const violations = await reader.violations(campaign?.n ?? null);
    if (violations.length > 0) throw broken(violations);
    await tellSound(context, reader, campaign?.n ?? null);
    return EXIT.done;
  },
};

/** The ledger is sound. The service may still have said two things of a message, or given an id twice. */
async function tellSound({ output }: Context, reader: LedgerReader, campaign: number | null): Promise<void> {
  const contradictions = contradictionParts(await reader.contradictions(campaign));
  const repeated = await reader.repeatedIds(MOST_REPEATED);
  const checked = campaign === null ? (await reader.find('')).length : 1;
  output.result(
    {
      violations: [],
      campaigns: checked,
      ...(repeated.total === 0 ? {} : { repeated_ids: repeatedPart(repeated, (text) => output.words(text)) }),
      ...(contradictions.length === 0 ? {} : { contradictions }),
    },
    () => `Every invariant holds (${checked} ${checked === 1 ? 'campaign' : 'campaigns'} checked).`,
  );
  const words = repeatedWords(repeated, output);
  if (words !== null) output.note(`${words}; reports with them may be undecided: tuma webhooks list`);
  for (const part of contradictions) output.note(contradictionNote(part));
}

function broken(violations: Violation[]): TumaError {
  const named = violations
    .slice(0, MOST_NAMED)
    .map(
      ({ invariant, campaign, row, detail }) =>
        `  ${invariant}: ${campaign === null ? '' : `${campaign} `}${row} ${detail}`,
    );
  const more = violations.length - named.length;
  return new TumaError('invariant_broken', {
    message: [
      `${violations.length} ${violations.length === 1 ? 'row breaks' : 'rows break'} an invariant:`,
      ...named,
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
    hint: 'Pause what is running, keep a backup (tuma backup FILE), and report this as a bug.',
  });
}
