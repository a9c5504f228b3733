import { expect } from 'vitest';
import { KEY, SECRET, TOKEN } from '../provider/account/v2-support.ts';
import { makeTempDir } from '../support/temp-home.ts';
import type { Ran } from './command-line.ts';

/** Settings of an account with all credentials; an empty value is as good as none. */
export function connectV2Env(baseUrl: string, settings: Record<string, string> = {}): Record<string, string> {
  return {
    TUMA_HOME: makeTempDir(),
    TUMA_BASE_URL: baseUrl,
    TUMA_API_TOKEN: TOKEN,
    TUMA_API_KEY: KEY,
    TUMA_API_SECRET: SECRET,
    ...settings,
  };
}

/** The error that a command with --json ended with, and its exit code. */
export function failure({ code, stdout, stderr }: Ran): Record<string, unknown> {
  expect(stdout).toBe('');
  const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as {
    error: Record<string, unknown>;
  };
  return { exit: code, ...error };
}
