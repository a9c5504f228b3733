import { afterAll } from 'vitest';
import { endFile } from './file-end.ts';

// Registered before the file's own, so it runs after them.
afterAll(endFile);
