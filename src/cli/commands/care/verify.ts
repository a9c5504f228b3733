import { TumaError } from '../../../domain/errors.ts';
import type { Violation } from '../../../ledger/reader.ts';
import { contradictionParts, contradictionNote } from '../../../reports/contradictions.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import { findCampaign } from '../../arguments/find-campaign.ts';

const MOST_NAMED = 50;

/** `tuma verify [CAMPAIGN]` */
export const command: CommandModule = {
  declare: (command) =>
    void command.argument('[campaign]', 'only this one: id, unique prefix of one, or name'),
  async run(context, { args }) {
    const reader = await context.reader();
    const campaign = args[0] === undefined ? null : await findCampaign(reader, args[0]);
    const violations = await reader.violations(campaign?.n ?? null);
    if (violations.length > 0) throw broken(violations);
    const contradictions = contradictionParts(await reader.contradictions(campaign?.n ?? null));
    const checked = campaign === null ? (await reader.find('')).length : 1;
    context.output.result(
      {
        violations: [],
        campaigns: checked,
        ...(contradictions.length === 0 ? {} : { contradictions }),
      },
      () => `Every invariant holds (${checked} ${checked === 1 ? 'campaign' : 'campaigns'} checked).`,
    );
    // The ledger is sound: the service says two things of these messages.
    for (const part of contradictions) context.output.note(contradictionNote(part));
    return EXIT.done;
  },
};

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
