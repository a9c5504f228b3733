import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';

/**
 * `tuma migrate`: makes or updates the ledger's tables, and ends. Every command that writes does the same, but on Postgres
 * only the owner of the tables may (docs/many-machines.md).
 */
export const command: CommandModule = {
  declare: () => undefined,
  async run(context) {
    const { output, config } = context;
    const { schemaVersion, engine } = await (await context.ledger()).facts();
    output.result(
      { schema: schemaVersion, engine, ledger: config.ledgerPlace },
      () => `The ledger ${config.ledgerPlace} has schema ${schemaVersion}, on ${engine}.`,
    );
    return EXIT.done;
  },
};
