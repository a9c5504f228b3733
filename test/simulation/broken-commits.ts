import type { Chance } from './chance.ts';
import type { Crew } from './crew.ts';
import type { Fate } from './sim-commits.ts';
import type { World } from './world.ts';

/** Of the commits that change something. */
const SHARE = 0.12;
/** A kill hides much of what was wrong before it, so kills are few. */
const DRAWN: Fate[] = [
  'unsure_made',
  'unsure_made',
  'unsure_made',
  'unsure_made',
  'unsure_undone',
  'unsure_undone',
  'undone',
  'undone',
  'killed_before',
  'killed_after',
];

/** From now on some commits break, in every way that a commit can. Answers what ends it. */
export function breakCommits(world: World, crew: Crew, chance: Chance): () => void {
  world.fateOfCommit = (_process, _name, changed) =>
    changed && chance.of(SHARE) ? chance.pick(DRAWN) : 'made';
  world.onFatalCommit = (process) => crew.died(process);
  return () => {
    world.fateOfCommit = () => 'made';
  };
}
