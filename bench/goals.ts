/** What a figure must reach (`floor`), and what it should. A floor that has been passed for good is raised. */
export interface Goal {
  floor: number;
  aim: number;
  better: 'higher' | 'lower';
}

type Reached = 'aim' | 'floor' | 'no';

/** The rows that have a goal, in the order of the table. */
export const ROWS = ['1', '1b', '2', '3', '4', '5', '6', '7', '8', '9', '9b', '10', '12', '15'] as const;
export type Row = (typeof ROWS)[number];

/** By the row of docs/benchmarks.md. Rows 1 to 6, 8 and 15 are ratios, rows 7, 9 and 9b milliseconds, row 10 megabytes (10^6 bytes), row 12 bytes. */
export const GOALS: Readonly<Record<Row, Goal>> = {
  '1': { floor: 0.33, aim: 0.6, better: 'higher' },
  '1b': { floor: 0.95, aim: 1, better: 'higher' },
  '2': { floor: 0.2, aim: 0.35, better: 'higher' },
  '3': { floor: 1.15, aim: 1.8, better: 'higher' },
  '4': { floor: 3.6, aim: 3.95, better: 'higher' },
  '5': { floor: 0.1, aim: 0.35, better: 'higher' },
  '6': { floor: 0.36, aim: 0.7, better: 'higher' },
  '7': { floor: 35, aim: 10, better: 'lower' },
  '8': { floor: 0.3, aim: 0.8, better: 'higher' },
  '9': { floor: 50, aim: 10, better: 'lower' },
  '9b': { floor: 1_000, aim: 300, better: 'lower' },
  '10': { floor: 270, aim: 180, better: 'lower' },
  '12': { floor: 400, aim: 280, better: 'lower' },
  '15': { floor: 0.97, aim: 1, better: 'higher' },
};

/** Holds a figure against its goal. */
export function reached(value: number, { floor, aim, better }: Goal): Reached {
  const passes = (mark: number) => (better === 'higher' ? value >= mark : value <= mark);
  if (passes(aim)) return 'aim';
  return passes(floor) ? 'floor' : 'no';
}
