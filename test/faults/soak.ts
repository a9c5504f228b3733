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

/** A soak, for its row. */
export interface SoakRun {
  date: string;
  commit: string;
  claimLimit: number;
  rounds: SoakRound[];
}

/** The page with one more row, and with where it stands now. A soak that goes on at the same day and commit lengthens its row. */
export function withSoakRow(page: string, run: SoakRun): string {
  const stand = soakStand(page);
  const { claimLimit, rounds } = run;
  const { earlier, without } = takeRow(page, run);
  const sum = (part: SumPart) => rounds.reduce((total, round) => total + round[part], earlier[part]);
  const nextSeed = Math.max(stand.nextSeed, ...rounds.map(({ seed }) => seed + 1));
  const kills = stand.kills + sum('kills') - earlier.kills;
  const most = Math.max(earlier.mostLeft, ...rounds.map(({ mostLeft }) => mostLeft));
  const cells = [
    run.date,
    `\`${run.commit}\``,
    `\`npm run soak -- --kills ${sum('kills')}\``,
    ...[kills, sum('messages'), sum('double'), sum('lost'), sum('uncertain')].map((n) =>
      n.toLocaleString('en'),
    ),
    `${most} of ${claimLimit}`,
  ];
  const line = `<!-- soak: next seed ${nextSeed}, kills so far ${kills} -->`;
  return without.replace(STAND, () => `| ${cells.join(' | ')} |\n${line}`);
}

type SumPart = Exclude<keyof SoakRound, 'seed'>;
const NOTHING: Record<SumPart, number> = {
  kills: 0,
  messages: 0,
  double: 0,
  lost: 0,
  uncertain: 0,
  mostLeft: 0,
};

/** The last row, when it is of the same day and commit, and the page without it. */
function takeRow(page: string, { date, commit }: SoakRun) {
  const row = new RegExp(
    `^\\| ${date} \\| \`${commit}\` \\|.*--kills (\\d+)\` \\|(.*)\\|\\n(?=<!-- soak)`,
    'm',
  );
  const found = row.exec(page);
  if (found === null) return { earlier: NOTHING, without: page };
  const cells = (found[2] ?? '').split('|').map((cell) => Number.parseInt(cell.replaceAll(',', ''), 10));
  const [, messages = NaN, double = NaN, lost = NaN, uncertain = NaN, mostLeft = NaN] = cells;
  const earlier = { kills: Number(found[1]), messages, double, lost, uncertain, mostLeft };
  return { earlier, without: page.replace(row, '') };
}
