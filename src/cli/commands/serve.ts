import type { CommandModule } from '../commands.ts';
import { type Context, ROLES, type Role, type RunningRoles } from '../context.ts';
import { EXIT } from '../exit.ts';
import { type Refused, settleCredit, stillRefused } from '../settle-credit.ts';
import { TumaError } from '../../domain/errors.ts';

/** How often a worker that was refused for the credit looks whether a person has accepted it. */
const ACCEPTED_LOOK_MS = 2_000;

/** `tuma serve`: the long-running process; stops in order at the first signal, with exit code 0. */
export const command: CommandModule = {
  stopsItself: true,
  logLevel: 'info',
  declare(command) {
    command.option('--role <roles>', `which of ${ROLES.join(', ')}, separated by commas (default: all)`);
    command.option(
      '--accept-loss',
      'an older ledger was put back: call uncertain what may have been sent since',
    );
    command.option(
      '--accept-credit',
      'others spend from the account: begin whatever the credit is (to leave in the unit of such an account)',
    );
  },
  async run(context, { flags }) {
    const roles = rolesOf(flags['role']);
    const lossAccepted = flags['acceptLoss'] === true && (await acceptLoss(context));
    const accepted = lossAccepted || flags['acceptCredit'] === true;
    const running = await context.startRoles({ roles, patient: true, workLater: true });
    let refused: Refused | null = null;
    try {
      refused = await work(context, { roles, running, accepted });
      await aborted(context.signal);
      context.output.note('stopping: no new message is taken, those on the wire are waited for');
    } finally {
      await running.stop();
    }
    if (refused !== null) throw refused.refusal;
    context.output.result({ roles, stopped_by: String(context.signal.reason) }, () => '');
    return EXIT.done;
  },
};

interface Serving {
  roles: readonly Role[];
  running: RunningRoles;
  accepted: boolean;
}

/**
 * Starts the worker once the credit is explained or accepted; the other roles wait for neither. Answers what it was refused
 * for to the end, or null. Throws `credit_unexplained` where nothing but a worker was asked for.
 */
async function work(context: Context, { roles, running, accepted }: Serving): Promise<Refused | null> {
  const others = roles.filter((role) => role !== 'worker');
  let refused = roles.includes('worker') ? await settleCredit(context, { accepted }) : null;
  if (refused !== null) {
    const { code, hint, message } = refused.refusal;
    if (others.length === 0) throw refused.refusal;
    context.log.error({ code, hint }, `the role worker waits: ${message}`);
    sayWhere(context, others, running);
    refused = await untilAccepted(context, refused);
  }
  if (refused !== null || context.signal.aborted) return refused;
  if (roles.includes('worker')) await running.work();
  sayWhere(context, roles, running);
  return null;
}

/** Waits until a person accepts the credit or nothing is left to send, or for the end: then it answers what is refused. */
async function untilAccepted(context: Context, refused: Refused): Promise<Refused | null> {
  const { signal, clock, log } = context;
  let last: Refused | null = refused;
  while (last !== null && !signal.aborted) {
    await clock.sleep(ACCEPTED_LOOK_MS, signal);
    if (signal.aborted) break;
    try {
      if (!(await stillRefused(context, last))) last = await settleCredit(context, { answerMs: null });
    } catch (error) {
      // The collector goes on whatever keeps the worker.
      log.warn({ error: String(error) }, 'whether the credit was accepted could not be looked up');
    }
  }
  return last;
}

/** Whether there was a loss to accept. */
async function acceptLoss(context: Context): Promise<boolean> {
  const ledger = await context.ledger();
  const now = context.clock.now();
  if ((await ledger.behind(now)) === null) {
    context.output.note('--accept-loss: nothing is missing from this ledger, so nothing was changed');
    return false;
  }
  const count = await ledger.acceptLoss({ now, by: 'operator' });
  context.output.note(
    `${count} messages that an older ledger holds as queued are uncertain now: tuma resolve decides them`,
  );
  return true;
}

function rolesOf(flag: string | boolean | undefined): readonly Role[] {
  if (typeof flag !== 'string') return ROLES;
  const wanted = flag.split(',').map((role) => role.trim());
  const unknown = wanted.filter((role) => !ROLES.includes(role as Role));
  if (unknown.length > 0)
    throw new TumaError('usage', {
      message: `There is no role ${unknown.map((role) => `"${role}"`).join(', ')}.`,
      hint: `Roles are ${ROLES.join(', ')}.`,
      where: '--role',
    });
  return wanted as Role[];
}

function sayWhere(
  { output, config }: Context,
  roles: readonly Role[],
  running: { collectorUrl: string | null; metricsUrl: string | null },
): void {
  output.note(`serving ${roles.join(', ')} with the ledger ${config.ledgerFile}`);
  if (running.collectorUrl !== null) output.note(`webhooks   ${running.collectorUrl}/webhooks/<token>`);
  if (running.metricsUrl !== null) output.note(`metrics    ${running.metricsUrl}/metrics`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
