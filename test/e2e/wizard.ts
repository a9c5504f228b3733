import type { Window } from './browser.ts';
import { contacts } from './harness.ts';

/* The first steps to a new campaign, as a person goes them in a browser. */

/** The people of each list. */
export const PEOPLE = 30;

/** A file as a browser is given it. */
interface ContactsFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

const LIST: ContactsFile = {
  name: 'members.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(contacts(PEOPLE)),
};

/** Names the campaign, uploads its contacts, and goes on. */
export async function chooseContacts(window: Window, name: string, file?: ContactsFile): Promise<void> {
  await uploadContacts(window, name, file);
  await window.page.getByRole('button', { name: 'Go on to the message' }).click();
}

/** Names the campaign, and uploads its contacts. */
export async function uploadContacts({ page }: Window, name: string, file?: ContactsFile): Promise<void> {
  await page.goto('/campaigns/new');
  await page.getByLabel('Name of the campaign').fill(name);
  await page.getByLabel('About their own account').check();
  await page.getByLabel('Contacts: a CSV or Excel file').setInputFiles(file ?? LIST);
  await page.getByRole('button', { name: 'Read this file' }).click();
  await page.getByText('Person 0').first().waitFor();
}

/** Writes the text, and waits until it stands there as somebody gets it. */
export async function writeMessage({ page }: Window, what: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Text' }).fill(`Hi <<name>>, ${what}`);
  await page.getByText(`Hi Person 0, ${what}`).first().waitFor();
  await page.getByRole('button', { name: 'Go on to the time' }).click();
}

/** At once, and at any hour. */
export async function chooseTime({ page }: Window): Promise<void> {
  await page.getByLabel('At once').check();
  await page.getByLabel('At any hour').check();
  await page.getByRole('button', { name: 'Go on to the check' }).click();
}
