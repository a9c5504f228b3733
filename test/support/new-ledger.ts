/**
 * The words of a command; a launch is told that its ledger may be new. That changes nothing where something was launched, so
 * whoever runs commands in a home of a test gives all of them through this.
 */
export function inNewHome(args: string[]): string[] {
  const [command = '', ...rest] = args;
  return command === 'launch' ? [command, '--new-ledger', ...rest] : args;
}
