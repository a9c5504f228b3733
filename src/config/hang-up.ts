/** Whether this process ignores a hang-up, because nohup started it; bin/tuma says so. Imports no library, for a fast `--help`. */
export function isHangUpIgnored(): boolean {
  return process.env['HANG_UP'] === 'ignored';
}
