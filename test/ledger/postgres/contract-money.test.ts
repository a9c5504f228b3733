import { onPostgres } from './on-postgres.ts';

await onPostgres('money');
