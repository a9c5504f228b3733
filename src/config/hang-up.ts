/** Whether whoever started this process, such as nohup, has it ignore a hang-up: Node forgets it, and bin/tuma tells. */
export function isHangUpIgnored(): boolean {
  return process.env['HANG_UP'] === 'ignored';
}
