/* A yardstick's line to the bench that started it. Run by hand, a yardstick prints what it would have told. */

/** The options that a yardstick was started with: its first argument, as JSON. */
export function readOptions<Options>(): Options {
  return JSON.parse(process.argv[2] ?? '{}') as Options;
}

/** Tells the bench something: where it listens, or what it measured. */
export function tell(message: object): void {
  if (process.send === undefined) process.stdout.write(`${JSON.stringify(message)}\n`);
  else process.send(message);
}

/** Answers the bench whenever it asks. */
export function onAsked(answer: () => object): void {
  process.on('message', () => tell(answer()));
}

/** A yardstick that serves ends with the bench, also when that is killed. */
export function endWithParent(): void {
  process.on('disconnect', () => process.exit());
}

/** A yardstick that is done ends by itself. */
export function hangUp(): void {
  if (process.connected) process.disconnect();
}
