import { spaceGuard, webhookRoomGuard } from './disk-space.ts';
import { GroupCommit } from './group-commit.ts';
import { migrate } from './migrate.ts';
import { openForWriting } from './open.ts';
import { serveOperations } from './thread.ts';
import { PATIENCE_MS, UNSYNCED, writerOperations } from './writer.ts';

/* The thread that writes: one a process. */

await serveOperations(async (file, port) => {
  const database = await openForWriting({ file, log: port.log });
  try {
    await migrate(database);
    const operations = writerOperations(database, {
      requireSpace: spaceGuard(file),
      requireRoom: webhookRoomGuard(file),
    });
    const runner = new GroupCommit({
      database,
      operations,
      port,
      patienceMs: PATIENCE_MS,
      unsynced: UNSYNCED,
    });
    return { database, runner };
  } catch (error) {
    database.close();
    throw error;
  }
});
