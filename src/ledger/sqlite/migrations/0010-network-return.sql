-- What a held network holds waits until it is brought back: where that stands. Null: nothing is brought back.
ALTER TABLE network_hold ADD COLUMN back_after INTEGER;             -- the batches that begin after this seq are to come

-- The messages that try held networks. `takes_place`: not those that were put back, rejected or canceled.
CREATE VIEW network_probe AS
SELECT h.campaign, h.network, m.delivery, m.state IN ('sending', 'sent', 'uncertain') AS takes_place
FROM network_hold AS h CROSS JOIN json_each(h.probes) AS p
CROSS JOIN message AS m ON m.campaign = h.campaign AND m.seq = p.value;
