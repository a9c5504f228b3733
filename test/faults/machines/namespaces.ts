import { execFileSync, spawnSync } from 'node:child_process';

/*
 * Machines that are only namespaces of this one. The office is a network namespace of its own, in which all the rest
 * lives: so its addresses and interfaces meet nobody else's, and go with it. Each machine in it has two cables: to the
 * office's network, and to that of the database, so that a machine can be cut off from Postgres alone.
 */

/** The office at its two networks. */
export const OFFICE = '10.77.0.1';
export const DATABASE = '10.78.0.1';

/** States of a port of a bridge. */
const PORT_DISABLED = 0;
const PORT_FORWARDING = 3;
const IN_NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** The command that runs another one in an office's namespaces: whatever that starts ends with it. */
export function inOffice(command: readonly string[]): [string, string[]] {
  return ['unshare', [...IN_NAMESPACES, ...command]];
}

/** Why this machine can hold no others; null: it can. */
export function whyNoMachines(): string | null {
  if (process.platform !== 'linux') return 'they need namespaces of Linux';
  if (process.getuid?.() !== 0) return 'namespaces need root';
  const [command, args] = inOffice(['sh', '-c', 'ip link add probe type bridge && ip netns list']);
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return null;
  return `no bridge between namespaces can be made (${(error?.message ?? stderr).trim()})`;
}

/** Makes the two networks of the office. Only inside of its namespaces. */
export function openNetworks(): void {
  ip('link set lo up');
  for (const [bridge, address] of [
    ['office', OFFICE],
    ['database', DATABASE],
  ]) {
    ip(`link add ${bridge} type bridge`);
    ip(`addr add ${address}/24 dev ${bridge}`);
    ip(`link set ${bridge} up`);
  }
  // Names of namespaces are files, and this folder is shared with the rest of the machine.
  execFileSync('mkdir', ['-p', '/run/netns']);
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', '/run/netns']);
}

/** A place for a machine, with its own network. */
export interface Cabled {
  /** Its address in the office's network. */
  address: string;
  /** The command that runs another one there, as the first process of its own. */
  inside(command: readonly string[]): [string, string[]];
  /** From now on each packet to or from the database vanishes, without a word to either side. */
  cutFromDatabase(): void;
  mendDatabase(): void;
}

/** Makes a network namespace and its two cables. `number`: from 2 to 250. */
export function cabled(name: string, number: number): Cabled {
  ip(`netns add ${name}`);
  ip(`-n ${name} link set lo up`);
  for (const [bridge, address] of [
    ['office', OFFICE],
    ['database', DATABASE],
  ] as const) {
    const [ours, theirs] = [portOf(bridge, name), bridge];
    ip(`link add ${ours} type veth peer name ${theirs} netns ${name}`);
    ip(`link set ${ours} master ${bridge} up`);
    ip(`-n ${name} addr add ${address.replace(/1$/, String(number))}/24 dev ${theirs}`);
    ip(`-n ${name} link set ${theirs} up`);
  }
  // At the bridge, where the machine cannot see it: its own cable stays up.
  const state = (to: number) =>
    void execFileSync('bridge', `link set dev ${portOf('database', name)} state ${to}`.split(' '));
  return {
    address: OFFICE.replace(/1$/, String(number)),
    inside: (command) => [
      'ip',
      ['netns', 'exec', name, 'unshare', '--pid', '--fork', '--kill-child', '--mount-proc', ...command],
    ],
    cutFromDatabase: () => state(PORT_DISABLED),
    mendDatabase: () => state(PORT_FORWARDING),
  };
}

function portOf(bridge: string, name: string): string {
  return `${bridge.slice(0, 2)}-${name}`;
}

function ip(words: string): void {
  execFileSync('ip', words.split(' '), { stdio: ['ignore', 'ignore', 'inherit'] });
}
