-- Delivery reports of other shapes, which a person pointed at by path. Raw webhooks are read by those that are not voided.

CREATE TABLE shape (
  id          INTEGER PRIMARY KEY,
  paths       TEXT NOT NULL,                                      -- JSON, domain/report-shape.ts ReportShape
  at          INTEGER NOT NULL,
  by          TEXT NOT NULL,
  voided_at   INTEGER
) STRICT;
CREATE UNIQUE INDEX shape_live ON shape (paths) WHERE voided_at IS NULL;
CREATE TRIGGER shape_kept BEFORE DELETE ON shape BEGIN SELECT RAISE (ABORT, 'a shape is voided, never deleted'); END;
