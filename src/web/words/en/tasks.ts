/** Words of long work: files of many messages, and the removal of personal data. */
export const tasks = {
  kinds: {
    export: 'A file of messages',
    purge: 'Removal of old personal data',
    erase: 'Removal of one person’s data',
  },
  working: 'It is being done',
  workingHelp: 'You can leave this page and come back. The page looks every two seconds.',
  rows: (done: string) => `${done} rows so far.`,
  rowsOf: (done: string, all: string) => `${done} of ${all} rows.`,
  progress: 'Done so far',
  stopped: 'It stopped before its end',
  stoppedHelp: 'The computer or the program ended meanwhile. Nothing is lost: begin it again.',
  again: 'Begin it again',
  failed: 'It could not be done',
  fileReady: 'The file is ready',
  fileHolds: (rows: string, size: string) => `${rows} rows, ${size}. It holds full phone numbers.`,
  download: (name: string) => `Download ${name}`,
  keptUntil: 'The file is removed here',
  askTitle: (rows: string) => `This file may have ${rows} rows`,
  askHelp:
    'So many rows take a while. The file is made while you do other things, and kept for a day. It holds full phone numbers.',
  askButton: 'Make the file',
  toCampaign: 'To the campaign',
  filesTitle: 'Files that you asked for',
  fileFrom: 'asked',
  states: { working: 'is being made', stopped: 'stopped', done: 'ready', failed: 'could not be made' },
};
