import { onSqlite } from './on-sqlite.ts';

onSqlite('campaigns');
