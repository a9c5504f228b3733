-- A rate that rises: how long the campaign has been sending on its ramp; null: it goes at its full rate.
ALTER TABLE campaign ADD COLUMN ramped_ms INTEGER DEFAULT 0;
