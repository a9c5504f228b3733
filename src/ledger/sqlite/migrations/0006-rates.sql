-- A rate that rises: how long the campaign has been sending on its ramp; null: it goes at its full rate.
ALTER TABLE campaign ADD COLUMN ramped_ms INTEGER DEFAULT 0;

-- The price a segment that the launch was confirmed with: what is held back where a worker knows no other.
ALTER TABLE campaign ADD COLUMN price INTEGER;
