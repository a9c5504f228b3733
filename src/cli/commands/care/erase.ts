import { erasePerson, erasureCount, refuseWaiting, waitsWords } from '../../../campaign/maintenance/erase.ts';
import { rewriteLedger } from '../../../campaign/maintenance/purge.ts';
import { removeStrayFiles } from '../../../campaign/tasks/task-files.ts';
import { TumaError } from '../../../domain/errors.ts';
import { counted } from '../../../domain/money.ts';
import type { PersonTraces } from '../../../ledger/contracts/erase.ts';
import { mobileArgument } from '../../arguments/parse-argument.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { ledgerOfOld } from '../../launch/begun-ledger.ts';
import { confirmYes } from '../../terminal/confirm.ts';

/** `tuma erase NUMBER` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<number>', 'a mobile')
      .option('--dry-run', 'only say what there is, and what waits')
      .option('--yes', 'do not ask: what is removed is gone'),
  async run(context, { args, flags }) {
    const { output, clock, config } = context;
    const mobile = mobileArgument(args[0], config);
    const ledger = await ledgerOfOld(context);
    const traces = await (await context.reader()).personTraces(mobile);
    const { messages, replies, awaited, campaigns, waits } = traces;
    if (flags['dryRun'] === true) {
      output.result({ messages, replies, awaited, campaigns, waits }, () => foundText(traces));
      return EXIT.done;
    }
    refuseWaiting(traces);
    await confirmErasure(context, traces, flags['yes'] === true);
    const erased = await erasePerson({
      ledger,
      mobile,
      now: clock.now(),
      by: context.actor,
      done: (part) => output.progress(`${Math.floor(part * 100)} %`),
    });
    await removeStrayFiles(config.sharedFolder, await context.reader());
    const document = { ...erased, rewritten: await rewriteLedger(ledger, context) };
    output.result(document, () => resultText(document));
    return EXIT.done;
  },
};

function foundText({ messages, replies, awaited, waits }: PersonTraces): string {
  const lines = [`${counted(messages, 'message')} and ${counted(replies, 'answer')} of this number.`];
  if (awaited > 0) lines.push(`Reports of ${counted(awaited, 'message')} may still come.`);
  return [...lines, ...waitsWords(waits)].join('\n');
}

async function confirmErasure(context: Context, traces: PersonTraces, yes: boolean): Promise<void> {
  const { output, signal } = context;
  output.note(
    `${erasureCount(traces) === 0 ? 'No message and no answer of this number is left; raw webhooks are looked through. ' : ''}${foundText(traces)}
Number, key, fields and texts of them will be removed, and raw webhooks that are about nobody else. Counts, costs and reports stay.
Opt-outs stay, so that no offer goes to the number. Contact files, exports and backups stay: remove those yourself.`,
  );
  const agreed = await confirmYes({
    output,
    signal,
    yes,
    question: 'It cannot be undone. Remove them?',
    hint: 'Add --yes to erase without a terminal.',
  });
  if (!agreed) throw new TumaError('declined', { message: 'Nothing was removed.' });
}

type Result = Awaited<ReturnType<typeof erasePerson>> & { rewritten: boolean };

function resultText({ messages, replies, reports, webhooks, shared, rewritten }: Result): string {
  const lines = [
    `Removed from ${counted(messages, 'message')}, ${counted(replies, 'answer')}, ${counted(reports, 'report')} and ${counted(webhooks, 'raw webhook')}.`,
  ];
  if (shared > 0)
    lines.push(
      `${counted(shared, 'raw webhook')} left, because somebody else is in them, too: tuma purge removes them by age.`,
    );
  if (!rewritten)
    lines.push(
      'Traces may be left in unused space of the ledger: stop tuma serve and run the same command again to write it anew.',
    );
  return lines.join('\n');
}
