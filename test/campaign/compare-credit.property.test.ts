import { describeLives } from './credit-lives.ts';

describeLives(15);
