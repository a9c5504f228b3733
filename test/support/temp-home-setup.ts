import { afterAll } from 'vitest';
import { removeTempDirs } from './temp-home.ts';

// Runs for each test file, also where several share a process.
afterAll(removeTempDirs);
