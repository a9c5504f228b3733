import { TumaError } from '../../domain/errors.ts';
import type { Output } from './output.ts';

/** A launch that a person confirms. */
export interface Confirmation {
  output: Output;
  signal: AbortSignal;
  /** The campaign's name, to be typed. */
  name: string;
  /** Cost and effect of the launch, shown above the question. */
  summary: string;
  /** `--yes`: nobody is asked. */
  yes: boolean;
}

/** A person may mistype the name, but does not want to try for ever. */
const MOST_TYPED = 3;

/** Asks a person to type the campaign's name under its cost. Throws `declined` after an empty line. */
export async function confirmCampaign({ output, signal, name, summary, yes }: Confirmation): Promise<void> {
  output.note(summary);
  if (yes) return;
  if (!output.interactive) {
    throw new TumaError('declined', {
      message: 'Nobody could be asked to confirm.',
      hint: 'Add --yes (and --max-cost) to launch without a terminal.',
    });
  }
  for (let typed = 1; typed <= MOST_TYPED; typed += 1) {
    const answer = (await output.ask(`Type the campaign's name (${name}) to send: `, signal))?.trim() ?? '';
    if (answer === name) return;
    if (answer === '') break;
    output.note(`What was typed is not the name: ${name}. An empty line launches nothing.`);
  }
  throw new TumaError('declined', { message: 'Not launched; nothing was sent.' });
}

/** Asks before an order that cannot be undone. Throws `declined` unless the answer is yes. */
export async function confirmOrder(
  { output, signal }: Pick<Confirmation, 'output' | 'signal'>,
  asked: { question: string; hint: string },
): Promise<void> {
  if (await confirmYes({ output, signal, yes: false, ...asked })) return;
  throw new TumaError('declined', { message: 'Not canceled; nothing was changed.' });
}

/** Asks a yes-or-no question; only yes is yes. Throws `declined` with `hint` without a terminal. */
export async function confirmYes(
  asking: Pick<Confirmation, 'output' | 'signal' | 'yes'> & { question: string; hint: string },
): Promise<boolean> {
  if (asking.yes) return true;
  if (!asking.output.interactive) {
    throw new TumaError('declined', { message: 'Nobody could be asked to confirm.', hint: asking.hint });
  }
  const answer = await asking.output.ask(`${asking.question} [y/N] `, asking.signal);
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}
