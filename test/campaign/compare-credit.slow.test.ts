import { vi } from 'vitest';
import { describeLives } from './credit-lives.ts';

vi.setConfig({ testTimeout: 300_000 });

describeLives(400);
