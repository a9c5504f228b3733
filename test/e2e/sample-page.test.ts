import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyProject } from '../faults/sample-project.ts';
import { startProcess } from '../support/processes.ts';
import { noBrowser, openWindow } from './browser.ts';
import { noTerminal } from './harness.ts';

/* `npm start` as a newcomer meets it: a terminal that shows a link, and a browser. */

const CTRL_C = '\u0003';
const missing = noBrowser ?? noTerminal();

test.skipIf(missing !== null)(
  'npm start on a terminal gives a link to its pages, which show the sample',
  async () => {
    const root = copyProject();
    const command = `stty cols 100 rows 40; exec '${process.execPath}' '${join(root, 'src/sample/main.ts')}'`;
    const sample = startProcess('script', ['-qefc', command, '/dev/null'], {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', SHELL: '/bin/sh' },
      keepsInput: true,
    });
    await sample.printed(/Launched as/);
    const [link = ''] = /http:\/\/127\.0\.0\.1:\d+\/open\?token=[\w-]+/.exec(sample.stdout()) ?? [];
    const window = await openWindow(new URL(link).origin);
    await window.open(link);
    await window.page.getByRole('link', { name: 'duka-weekend' }).click();
    await window.page.getByRole('heading', { name: 'duka-weekend' }).waitFor();
    expect(await window.page.getByText('All people').count()).toBe(1);
    await sample.printed(/The report says the same[^]*Staying up for late reports/);
    await window.page.reload();
    await window.page.getByText('Finished').first().waitFor();
    expect(window.wrong()).toEqual([]);
    sample.type(CTRL_C);
    expect(await sample.exited).toMatchObject({ code: expect.toSatisfy((code) => code === 0 || code === 3) });
  },
);
