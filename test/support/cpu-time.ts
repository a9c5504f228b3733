/**
 * The milliseconds that the processor worked for this process meanwhile: a busy machine takes longer, and no more of
 * them.
 */
export async function cpuMsOf(action: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
