/**
 * Whether the starter of this process, such as nohup, has it ignore a hang-up: Node forgets it, and bin/tuma tells. It is a file of
 * its own, because `tuma --help` loads it and no library.
 */
export function isHangUpIgnored(): boolean {
  return process.env['HANG_UP'] === 'ignored';
}
