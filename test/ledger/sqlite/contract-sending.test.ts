import { onSqlite } from './on-sqlite.ts';

onSqlite('sending');
