-- A reminder that was skipped because one of another date might have been sent, which a corrected upload names again.
INSERT INTO transition VALUES ('skipped', 'queued', 'planner');
