import { TumaError } from '../../domain/errors.ts';
import type { PreparationLedger } from '../../ledger/preparations.ts';

/** Who gives an order, as the rule of approval needs it. */
export interface Approvable {
  ledger: Pick<PreparationLedger, 'approvalNeeded'>;
  /** True: an approver or admin who signed in. Left out: the command line, or somebody else. */
  mayApprove?: boolean;
}

/**
 * While a second person must approve each campaign, an order that sends more than was approved is for approvers: a
 * retry, `not sent`, a higher budget, another sender, the meaning of an answer. Throws `approval_needed`.
 */
export async function requireApprover(
  { ledger, mayApprove = false }: Approvable,
  verb: string,
): Promise<void> {
  if (mayApprove || !(await ledger.approvalNeeded())) return;
  throw new TumaError('approval_needed', {
    message: `Approval is needed here, so only an approver may ${verb}. Nothing was changed.`,
    hint: 'An approver does it on the pages.',
  });
}
