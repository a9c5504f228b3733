/** Whether the starter of this process (nohup) has it ignore a hang-up, as bin/tuma tells. Imports no library, for a fast `--help`. */
export function isHangUpIgnored(): boolean {
  return process.env['HANG_UP'] === 'ignored';
}
