import { readdir } from 'node:fs/promises';
import { startMediaKeeping } from './campaign/keep-media.ts';
import type { Services } from './cli/context.ts';
import { makeFolder } from './system-folder.ts';

const KEPT = /^([\da-f-]{36})\.\w+$/;

/**
 * Starts keeping the files of chat messages where TUMA_MEDIA names a folder. Answers how to stop it. Throws `credentials`
 * when the v2 API is not set.
 */
export async function keepMedia(services: Services): Promise<() => Promise<void>> {
  const { config, clock, log } = services;
  const { mediaFolder: folder } = config;
  if (folder === null) return async () => {};
  const api = await services.accountApi();
  await makeFolder(folder);
  const names = (await readdir(folder)).map((name) => KEPT.exec(name)?.[1]);
  const kept = new Set(names.filter((id) => id !== undefined));
  const keeping = startMediaKeeping({ clock, log }, { replies: await services.reader(), api, folder, kept });
  return () => keeping.stop();
}
