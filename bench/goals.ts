/** What a figure must reach (`floor`), and what it should. A floor that has been passed for good is raised. */
export interface Goal {
  floor: number;
  aim: number;
  better: 'higher' | 'lower';
}

type Reached = 'aim' | 'floor' | 'no';

/** The rows that have a goal, in the order of the table. */
export const ROWS = ['1', '1b', '3', '5', '6', '7', '9', '10', '15'] as const;
export type Row = (typeof ROWS)[number];

/** By the row of docs/benchmarks.md. Rows 1 to 6 and 15 are ratios, rows 7 and 9 milliseconds, row 10 megabytes (10^6 bytes). */
export const GOALS: Readonly<Record<Row, Goal>> = {
  '1': { floor: 0.4, aim: 0.75, better: 'higher' },
  '1b': { floor: 0.7, aim: 0.95, better: 'higher' },
  '3': { floor: 2.5, aim: 4, better: 'higher' },
  '5': { floor: 0.1, aim: 0.35, better: 'higher' },
  '6': { floor: 0.4, aim: 0.7, better: 'higher' },
  '7': { floor: 50, aim: 15, better: 'lower' },
  '9': { floor: 50, aim: 25, better: 'lower' },
  '10': { floor: 250, aim: 150, better: 'lower' },
  '15': { floor: 0.9, aim: 0.97, better: 'higher' },
};

/** Holds a figure against its goal. */
export function reached(value: number, { floor, aim, better }: Goal): Reached {
  const passes = (mark: number) => (better === 'higher' ? value >= mark : value <= mark);
  if (passes(aim)) return 'aim';
  return passes(floor) ? 'floor' : 'no';
}
