import { once } from 'node:events';
import type { CommandModule } from '../../command.ts';
import { type Context } from '../../context.ts';
import { homeLink } from '../../../config/dashboard-token.ts';
import { isCollectorAlone, ROLES, type Role } from '../../../runtime/contracts.ts';
import { EXIT } from '../../exit.ts';
import { TumaError } from '../../../domain/errors.ts';
import { showServing } from '../../terminal/show-serving.ts';

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
    command.option('--nothing-lost', 'the database went on as a copy (failover), which has every commit');
  },
  async run(context, { flags }) {
    const roles = rolesOf(flags['role']);
    if (flags['nothingLost'] === true) await acceptCopy(context);
    if (flags['acceptLoss'] === true) await acceptLoss(context);
    const running = await context.startRoles({ roles, patient: true });
    try {
      await sayWhere(context, roles, running);
      const isShown = !context.output.json && !isCollectorAlone(roles);
      const showing = isShown ? showServing(context) : Promise.resolve();
      if (!context.signal.aborted) await once(context.signal, 'abort');
      await showing;
      sayerOf(context)('stopping: no new message is taken, those on the wire are waited for');
    } finally {
      await running.stop();
    }
    context.output.result({ roles, stopped_by: String(context.signal.reason) }, () => '');
    return EXIT.done;
  },
};

async function acceptLoss(context: Context): Promise<void> {
  const ledger = await context.ledger();
  const now = context.clock.now();
  if ((await ledger.behind(now)) === null) {
    context.output.note('--accept-loss: nothing is missing from this ledger, so nothing was changed');
    return;
  }
  const count = await ledger.acceptLoss({ now, by: context.actor });
  context.output.note(
    count === 0
      ? 'serve goes on without what is missing from this ledger'
      : `${count} messages that an older ledger holds as queued are uncertain now: tuma resolve decides them`,
  );
}

async function acceptCopy(context: Context): Promise<void> {
  const ledger = await context.ledger();
  const isAccepted = await ledger.acceptCopy({ now: context.clock.now(), by: context.actor });
  context.output.note(
    isAccepted
      ? 'serve goes on with the copy of the database'
      : '--nothing-lost: the database is no copy, or something is missing from it; nothing was changed',
  );
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

async function sayWhere(
  context: Context,
  roles: readonly Role[],
  running: { collectorUrl: string | null; webUrl: string | null },
): Promise<void> {
  const say = sayerOf(context);
  say(`serving ${roles.join(', ')} with the ledger ${context.config.ledgerPlace}`);
  if (running.collectorUrl !== null) say(`webhooks   ${running.collectorUrl}/webhooks/<token>`);
  if (running.webUrl === null) return;
  say(`metrics    ${running.webUrl}/metrics`);
  say(`pages      ${await pagesWords(context, running.webUrl)}`);
}

/** The link of this machine opens the pages until there are users. It stands on a terminal and in no log. */
async function pagesWords(context: Context, webUrl: string): Promise<string> {
  const { config, output } = context;
  if (await (await context.reader()).hasUsers()) return config.publicDashboardUrl ?? webUrl;
  if (output.liveProgress) return homeLink(config, webUrl);
  return `${webUrl} (its link needs the token of ${config.sharedFolder}/dashboard-token)`;
}

/** Without a terminal every line is one of the log, so that one program can read them all. */
function sayerOf({ output, log }: Context): (words: string) => void {
  return output.liveProgress ? (words) => output.note(words) : (words) => log.info({}, words);
}
