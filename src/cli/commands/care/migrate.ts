import { moveLedger } from '../../../campaign/operator/move-ledger.ts';
import { isPostgres, readLedgerUrl } from '../../../config/database-url.ts';
import { counted, whole } from '../../../domain/money.ts';
import { TumaError } from '../../../domain/errors.ts';
import type { Moved, MoveStep } from '../../../ledger/contracts/ledger-move.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';

/**
 * `tuma migrate`: makes or updates the ledger's tables, and ends. Every command that writes does the same, but on Postgres
 * only the owner of the tables may (docs/many-machines.md). With `--to` it moves the ledger to Postgres.
 */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .option('--to <address>', 'move the ledger from its file to postgres://user@host/database')
      .option('--cancel', 'take a move back that was interrupted'),
  stopsItself: true,
  async run(context, { flags }) {
    const { to, cancel } = flags;
    if (to === undefined && cancel !== true) await makeTables(context);
    else if (to !== undefined && cancel === true) throw wrong('Give --to or --cancel, not both.');
    else if (context.config.postgres !== null)
      throw wrong('TUMA_DATABASE_URL names Postgres already; leave it out to move the ledger of this home.');
    else if (to === undefined) await takeBack(context);
    else await move(context, addressOf(String(to)));
    return EXIT.done;
  },
};

async function makeTables(context: Context): Promise<void> {
  const { output, config } = context;
  const { schemaVersion, engine } = await (await context.ledger()).facts();
  output.result(
    { schema: schemaVersion, engine, ledger: config.ledgerPlace },
    () => `The ledger ${config.ledgerPlace} has schema ${schemaVersion}, on ${engine}.`,
  );
}

async function move(context: Context, url: string): Promise<void> {
  const { output, config, actor } = context;
  const moving = await context.moveLedger({ url, by: actor });
  try {
    const moved = await moveLedger(
      {
        ...context,
        waiting: (sending) =>
          output.progress(`${counted(sending, 'message')} on the wire: waiting for the answers`),
        progress: (at) => output.progress(stepText(at)),
      },
      moving,
    );
    output.progress(null);
    output.result({ to: moving.to, from: config.ledgerPlace, ...moved }, () => movedText(moved, moving.to));
    output.note(
      `Now set TUMA_DATABASE_URL to that address for every process. ${config.ledgerPlace} sends nothing any more.`,
    );
  } finally {
    output.progress(null);
    await moving.close();
  }
}

function stepText(at: MoveStep): string {
  if (at.step === 'checking')
    return at.what === 'ledger' ? '1/5 checking the ledger' : '5/5 checking the copy';
  if (at.step === 'indexing') return '3/5 making the indexes';
  const { step, table, done, rows } = at;
  return `${step === 'copying' ? '2/5' : '4/5'} ${step} ${table}: ${whole(done)} of ${counted(rows, 'row')}`;
}

function movedText(moved: Moved | null, to: string): string {
  if (moved === null) return `The ledger is on Postgres: ${to}. An earlier run had moved it.`;
  const { campaigns, messages, rows } = moved;
  return `The ledger is on Postgres: ${to}. ${counted(campaigns, 'campaign')} and ${counted(messages, 'message')} moved; each of ${counted(rows, 'row')} was compared.`;
}

async function takeBack(context: Context): Promise<void> {
  const moving = await context.moveLedger({ url: null, by: context.actor });
  try {
    await moving.takeBack();
  } finally {
    await moving.close();
  }
  const { output, config } = context;
  output.result(
    { ledger: config.ledgerPlace, moving: false },
    () =>
      `The move is taken back: ${config.ledgerPlace} sends again. What was copied has no use: drop that schema.`,
  );
}

/** Throws `usage` for what is no address. The message repeats none of it, because people write passwords there. */
function addressOf(to: string): string {
  const read = isPostgres(to) ? readLedgerUrl(to) : { problem: 'is not postgres://user@host/database' };
  if ('value' in read) return read.value;
  throw wrong(`The address of --to ${read.problem}.`);
}

function wrong(message: string): TumaError {
  return new TumaError('usage', { message, hint: 'See: tuma migrate --help' });
}
