-- name: add_opt_out
-- ?1 mobile, ?2 source, ?3 at
INSERT INTO opt_out (mobile, source, at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING;

-- name: is_opted_out
-- ?1 mobile
SELECT 1 FROM opt_out WHERE mobile = ?1;
