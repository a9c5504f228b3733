import { addToken, removeToken, TOKEN_MS } from '../../../campaign/people/tokens.ts';
import { TumaError } from '../../../domain/errors.ts';
import { formatDuration, parseDuration } from '../../../domain/time/time-words.ts';
import type { TokenRow } from '../../../ledger/contracts/people.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { roleFlag, roleOption } from '../../arguments/role-flag.ts';
import type { Call, CommandGroup } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { ledgerMaybeNew, ledgerOfOld } from '../../launch/begun-ledger.ts';
import { shownTime } from '../../text/shown-time.ts';
import { columnsOf, renderTable } from '../../text/table.ts';

/** `tuma tokens list / add NAME --role R [--expires 90d] / remove NAME` */
export const command: CommandGroup = {
  actions: {
    list: { summary: 'all tokens, their roles, and when they were used', declare: () => {}, run: list },
    add: {
      summary: 'make a token for a program; it is shown this once',
      declare: (action) =>
        void action
          .argument('<name>', 'the program, such as billing')
          .addOption(roleOption())
          .option('--expires <time>', 'how long it is good for', formatDuration(TOKEN_MS.usual)),
      run: add,
    },
    remove: {
      summary: 'end a token',
      declare: (action) => void action.argument('<name>', 'a token'),
      run: remove,
    },
  },
};

async function list(context: Context): Promise<number> {
  const { output, clock } = context;
  const rows = await (await context.reader()).tokens();
  output.result({ tokens: rows.map(tokenPart) }, () => {
    if (rows.length === 0) return 'There are no tokens: no program may use the API.';
    const shown = rows.map((row) => [
      row.name,
      row.role,
      row.usedAt === null ? 'never' : shownTime(context, row.usedAt),
      `${row.endsAt <= clock.now() ? 'ended ' : ''}${shownTime(context, row.endsAt)}`,
      row.addedBy,
      row.user ?? 'nobody',
    ]);
    return renderTable(columnsOf(['token', 'role', 'used', 'ends', 'made by', 'ends with']), shown, {
      padded: output.terminal,
    });
  });
  return EXIT.done;
}

function tokenPart({ name, role, addedAt, addedBy, user, endsAt, usedAt }: TokenRow) {
  return {
    name,
    role,
    added_at: isoTime(addedAt),
    added_by: addedBy,
    user,
    ends_at: isoTime(endsAt),
    used_at: usedAt === null ? null : isoTime(usedAt),
  };
}

async function add(context: Context, { args, flags }: Call): Promise<number> {
  const { output, clock, actor } = context;
  const role = roleFlag(flags);
  const lastsMs = lastingFlag(String(flags['expires']));
  const ledger = await ledgerMaybeNew(context);
  const change = { now: clock.now(), by: actor };
  const { name, token, endsAt } = await addToken({
    ledger,
    change,
    name: args[0] ?? '',
    role,
    owners: [actor],
    lastsMs,
  });
  output.result({ name, role, token, ends_at: isoTime(endsAt) }, () => token);
  output.note(
    `The token of ${name}, shown this once: Authorization: Bearer … It ends on ${shownTime(context, endsAt)}.`,
  );
  return EXIT.done;
}

function lastingFlag(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms >= TOKEN_MS.least && ms <= TOKEN_MS.most) return ms;
  throw new TumaError('usage', {
    message: `"${text}" is no time for which a token is good.`,
    hint: `Give it as 12h or 90d, at most ${formatDuration(TOKEN_MS.most)}.`,
    where: '--expires',
  });
}

async function remove(context: Context, { args }: Call): Promise<number> {
  const { output, clock, actor } = context;
  const ledger = await ledgerOfOld(context);
  const change = { now: clock.now(), by: actor };
  const name = await removeToken({ ledger, change, name: args[0] ?? '' });
  output.result({ name }, () => `The token of ${name} is refused from now on.`);
  return EXIT.done;
}
