import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TEMPLATE, writeContacts } from './contacts.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * The files of a bench, all removed in the end. They lie below `.tuma` of the checkout, for the temporary directory of
 * many systems is in memory, where a durable write costs nothing.
 */
export class Workspace implements Disposable {
  readonly path: string;
  #lists = new Map<number, string>();

  constructor() {
    const parent = join(ROOT, '.tuma/bench');
    mkdirSync(parent, { recursive: true });
    this.path = mkdtempSync(join(parent, 'run-'));
    // Ends the search for settings here: what the checkout's own .env says is not measured.
    writeFileSync(join(this.path, 'tuma.yaml'), '');
  }

  /** An empty TUMA_HOME. */
  home(): string {
    return mkdtempSync(join(this.path, 'home-'));
  }

  /** Removes a home that is done with: a ledger of a million messages is 400 MB. */
  leave(home: string): void {
    rmSync(home, { recursive: true, force: true });
  }

  /** A list of so many contacts; made once. */
  contacts(count: number): string {
    const known = this.#lists.get(count);
    if (known !== undefined) return known;
    const path = join(this.path, `contacts-${count}.csv`);
    writeContacts(path, count);
    this.#lists.set(count, path);
    return path;
  }

  /** A job file that sends to so many contacts at any hour, with every other setting left alone. */
  job(count: number): string {
    const path = join(this.path, `job-${count}.yaml`);
    const lines = {
      name: 'bench',
      kind: 'promotional',
      sender: 'DUKA',
      message: JSON.stringify(TEMPLATE),
      contacts: this.contacts(count),
      columns: '{ mobile: Phone, name: First name }',
      window: 'always',
    };
    writeFileSync(
      path,
      Object.entries(lines)
        .map(([key, value]) => `${key}: ${value}\n`)
        .join(''),
    );
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
