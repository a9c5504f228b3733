import { findPrograms } from '../support/postgres/programs.ts';
import { startPostgres } from '../support/postgres/server.ts';

/* Starts a server, says where, and does nothing until it is killed. */

const programs = findPrograms();
if (typeof programs === 'string') throw new Error(programs);
const server = await startPostgres(programs);
console.log(JSON.stringify({ data: server.data }));
setInterval(() => undefined, 60_000);
