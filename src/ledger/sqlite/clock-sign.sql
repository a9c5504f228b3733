-- name: note_time
-- ?1 now
INSERT INTO fact (name, value) VALUES ('written_at', CAST(?1 AS INTEGER))
ON CONFLICT DO UPDATE SET value = excluded.value WHERE CAST(excluded.value AS INTEGER) > CAST(value AS INTEGER);
