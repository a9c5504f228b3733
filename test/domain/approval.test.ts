import { expect, it } from 'vitest';
import { approvalProblem } from '../../src/domain/approval.ts';

const ASKED = { state: 'asked' as const, editors: ['asha', 'user 1'] };
const BRIAN = { identities: ['brian', 'user 2'], mayApprove: true };

it('an approver who did not work on it approves what was asked for', () => {
  expect(approvalProblem(ASKED, BRIAN)).toBeNull();
});

it.each([
  ['not_asked', { ...ASKED, state: 'open' as const }, BRIAN],
  ['no_approver', ASKED, { ...BRIAN, mayApprove: false }],
  ['own', ASKED, { identities: ['asha again', 'user 1'], mayApprove: true }],
  ['unsigned', { ...ASKED, editors: ['asha', 'this machine'] }, BRIAN],
])('nobody approves: %s', (problem, draft, actor) => {
  expect(approvalProblem(draft, actor)).toBe(problem);
});
