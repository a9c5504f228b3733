import { pagesOrigin } from '../../../config/relations.ts';
import { signInPath } from '../../../campaign/people/sessions.ts';
import {
  addUser,
  changeRole,
  type EndedRights,
  linkForUser,
  removeUser,
  type SignInLink,
} from '../../../campaign/people/users.ts';
import type { UserRow } from '../../../ledger/contracts/people.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { roleFlag, roleOption } from '../../arguments/role-flag.ts';
import type { Call, CommandGroup } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { ledgerMaybeNew, ledgerOfOld } from '../../launch/begun-ledger.ts';
import { shownTime } from '../../text/shown-time.ts';
import { columnsOf, renderTable } from '../../text/table.ts';

/** `tuma users list / add NAME --role R / link NAME / role NAME --role R / remove NAME` */
export const command: CommandGroup = {
  actions: {
    list: { summary: 'all users, their roles, and when they signed in', declare: () => {}, run: list },
    add: {
      summary: 'add a user; prints a link that works once and sets a password',
      declare: (action) =>
        void action.argument('<name>', 'such as peter.kamau or mary@example.org').addOption(roleOption()),
      run: add,
    },
    link: {
      summary: 'a new link for a user who has no password, or forgot it',
      declare: (action) => void action.argument('<name>', 'a user'),
      run: link,
    },
    role: {
      summary: 'give a user another role; the user must sign in again',
      declare: (action) => void action.argument('<name>', 'a user').addOption(roleOption()),
      run: role,
    },
    remove: {
      summary: 'remove a user, who is signed out at once',
      declare: (action) => void action.argument('<name>', 'a user'),
      run: remove,
    },
  },
};

async function list(context: Context): Promise<number> {
  const { output } = context;
  const rows = await (await context.reader()).users();
  output.result({ users: rows.map(userPart) }, () => {
    if (rows.length === 0)
      return 'There are no users: whoever sits at this machine opens the pages by the link of tuma serve.';
    const shown = rows.map((row) => [
      row.name,
      row.role,
      row.seenAt === null ? 'never' : shownTime(context, row.seenAt),
      isUsable(row, context) ? `until ${shownTime(context, row.linkEndsAt ?? 0)}` : '',
      row.hasPassword ? 'set' : 'none',
    ]);
    return renderTable(columnsOf(['user', 'role', 'signed in', 'link', 'password']), shown, {
      padded: output.terminal,
    });
  });
  return EXIT.done;
}

function isUsable({ linkEndsAt }: UserRow, { clock }: Context): boolean {
  return linkEndsAt !== null && linkEndsAt > clock.now();
}

function userPart({ name, role, addedAt, addedBy, hasPassword, seenAt, linkEndsAt }: UserRow) {
  return {
    name,
    role,
    added_at: isoTime(addedAt),
    added_by: addedBy,
    has_password: hasPassword,
    signed_in_at: seenAt === null ? null : isoTime(seenAt),
    link_ends_at: linkEndsAt === null ? null : isoTime(linkEndsAt),
  };
}

async function add(context: Context, { args, flags }: Call): Promise<number> {
  const ledger = await ledgerMaybeNew(context);
  const given = roleFlag(flags);
  const made = await addUser({ ledger, change: changeOf(context), name: args[0] ?? '', role: given });
  showLink(context, made, { role: given });
  const users = await (await context.reader()).users();
  if (users.every((user) => user.role !== 'admin'))
    context.output.note(
      'Nobody is an admin yet, so users can be added at this machine only. An admin: tuma users add NAME --role admin',
    );
  return EXIT.done;
}

async function link(context: Context, { args }: Call): Promise<number> {
  const ledger = await ledgerOfOld(context);
  showLink(context, await linkForUser({ ledger, change: changeOf(context), name: args[0] ?? '' }), {});
  return EXIT.done;
}

/** The link is the answer. It is shown this once, because only its digest is kept. */
function showLink(context: Context, { name, secret, endsAt }: SignInLink, more: { role?: string }): void {
  const { output, config } = context;
  const url = `${pagesOrigin(config)}${signInPath(secret)}`;
  output.result({ name, ...more, link: url, link_ends_at: isoTime(endsAt) }, () => url);
  output.note(
    `Give this link to ${name}: it sets a password, works once, and ends on ${shownTime(context, endsAt)}.`,
  );
  if (config.publicDashboardUrl === null)
    output.note(
      'It opens on this machine only. For an office set TUMA_PUBLIC_DASHBOARD_URL (docs/configuration.md).',
    );
}

async function role(context: Context, { args, flags }: Call): Promise<number> {
  const ledger = await ledgerOfOld(context);
  const given = roleFlag(flags);
  const order = { ledger, change: changeOf(context), name: args[0] ?? '', role: given };
  const ended = await changeRole(order);
  const { name } = ended;
  context.output.result(
    { name, role: given, ...endedPart(ended) },
    () => `${name} is ${given} now, and must sign in again.`,
  );
  noteEnded(context, ended);
  return EXIT.done;
}

async function remove(context: Context, { args }: Call): Promise<number> {
  const ledger = await ledgerOfOld(context);
  const ended = await removeUser({ ledger, change: changeOf(context), name: args[0] ?? '' });
  const { name } = ended;
  context.output.result(
    { name, ...endedPart(ended) },
    () => `${name} is no user any more, and is signed out.`,
  );
  noteEnded(context, ended);
  if (!(await (await context.reader()).hasUsers()))
    context.output.note('There are no users any more: the pages open by the link of tuma serve again.');
  return EXIT.done;
}

function endedPart({ tokens, alertAddresses }: EndedRights) {
  return { tokens, alert_endpoints: alertAddresses };
}

function noteEnded({ output }: Context, { tokens, alertAddresses }: EndedRights): void {
  if (tokens.length > 0) output.note(`Tokens that ended, because this user made them: ${tokens.join(', ')}.`);
  if (alertAddresses.length > 0)
    output.note(
      `Addresses that get no more alerts, because this user added them: ${alertAddresses.join(', ')}. Does the office still need one? An admin adds it again.`,
    );
}

function changeOf({ clock, actor }: Context) {
  return { now: clock.now(), by: actor };
}
