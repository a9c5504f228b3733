/* What a soak does, and its rows in docs/reliability.md. */

/** Kills of one ledger; more would make each look at it slow. */
const KILLS_A_ROUND = 100;

/** What one round came to. */
export interface SoakRound {
  seed: number;
  kills: number;
  messages: number;
  double: number;
  lost: number;
  uncertain: number;
  /** Most messages that one killed worker left without a verdict. */
  mostLeft: number;
}

/** Cuts so many kills into rounds, each with a seed of its own. */
export function soakRounds(kills: number, seed: number): { seed: number; kills: number }[] {
  return Array.from({ length: Math.ceil(kills / KILLS_A_ROUND) }, (_, index) => ({
    seed: seed + index,
    kills: Math.min(KILLS_A_ROUND, kills - index * KILLS_A_ROUND),
  }));
}

/** Where a page stands: the seed that the next soak begins with, and the kills so far. */
export interface SoakStand {
  nextSeed: number;
  kills: number;
}

const STAND = /<!-- soak: next seed (\d+), kills so far (\d+) -->/;

/** Reads where the page stands. Throws where it does not say so. */
export function soakStand(page: string): SoakStand {
  const found = STAND.exec(page);
  if (found === null) throw new Error('the page does not say where the soak stands');
  return { nextSeed: Number(found[1]), kills: Number(found[2]) };
}

/** The page with one more row, and with where it stands now. */
export function withSoakRow(
  page: string,
  run: { date: string; commit: string; command: string; claimLimit: number; rounds: SoakRound[] },
): string {
  const stand = soakStand(page);
  const { date, commit, command, claimLimit, rounds } = run;
  const sum = (part: Exclude<keyof SoakRound, 'seed'>) =>
    rounds.reduce((total, round) => total + round[part], 0);
  const nextSeed = Math.max(stand.nextSeed, ...rounds.map(({ seed }) => seed + 1));
  const kills = stand.kills + sum('kills');
  const most = Math.max(0, ...rounds.map(({ mostLeft }) => mostLeft));
  const count = (value: number) => value.toLocaleString('en');
  const cells = [
    date,
    `\`${commit}\``,
    `\`${command}\``,
    count(kills),
    count(sum('messages')),
    count(sum('double')),
    count(sum('lost')),
    count(sum('uncertain')),
    `${most} of ${claimLimit}`,
  ];
  const line = `<!-- soak: next seed ${nextSeed}, kills so far ${kills} -->`;
  return page.replace(STAND, () => `| ${cells.join(' | ')} |\n${line}`);
}
