import type { CommandModule } from '../command.ts';
import { type Context, ROLES, type Role, type RunningRoles } from '../context.ts';
import { EXIT } from '../exit.ts';
import { type Refused, settleCredit } from '../settle-credit.ts';
import { tellRefused, untilSettled } from '../until-settled.ts';
import { TumaError } from '../../domain/errors.ts';

/** The service has so long to tell the credit before the log says that the worker waits for it. */
const CREDIT_MS = 10_000;

/**
 * `tuma serve`: the long-running process; stops in order at the first signal, with exit code 0, or with that of the signal
 * when its worker was refused to the end.
 */
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
    if (isRefused(refused)) throw refused.refusal;
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
  if (roles.includes('worker')) {
    const refused = await settled(context, { roles, running, accepted });
    if (refused !== null || context.signal.aborted) return refused;
    await running.work();
  }
  sayWhere(context, roles, running);
  return null;
}

/** Waits for the credit, unless it is explained at once. Answers as `work` does. */
async function settled(context: Context, { roles, running, accepted }: Serving): Promise<Refused | null> {
  const others = roles.filter((role) => role !== 'worker');
  const alone = others.length === 0;
  const first = await settleCredit(context, { accepted, creditMs: CREDIT_MS });
  if (first === null) return null;
  if (!alone || first.found === null) tellRefused(context, first);
  if (!alone) sayWhere(context, others, running);
  const last = await untilSettled(context, first, { alone });
  if (alone && isRefused(last)) throw last.refusal;
  return last;
}

function isRefused(refused: Refused | null): refused is Refused {
  return refused !== null && refused.found !== null;
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
    count === 0
      ? 'serve goes on without what is missing from this ledger'
      : `${count} messages that an older ledger holds as queued are uncertain now: tuma resolve decides them`,
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
