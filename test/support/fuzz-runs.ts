/** How many random cases a test tries: a tenth of `whole`, and all of them in `npm run test:faults`. */
export function fuzzRuns(whole: number): number {
  return process.env['FUZZ_RUNS'] === 'whole' ? whole : Math.ceil(whole / 10);
}
