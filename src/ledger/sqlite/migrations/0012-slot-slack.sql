-- How much later than its due time a campaign's slot may lie without the next one being moved: its own rate is spread over
-- the slots of its account, which lie where they lie. Of the slots that were taken last; 0: none.
ALTER TABLE campaign ADD COLUMN slot_slack REAL NOT NULL DEFAULT 0;
