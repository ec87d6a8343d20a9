-- Grain: one buyer and one agreement as a reporter of the batch names them; both become pseudonyms.
-- Unit: none.
-- Inputs: stated_trades, batch_captures.
-- Clause: specification 12, confidential reports.
SELECT DISTINCT
    t.reporter_id,
    t.buyer_text,
    t.agreement_text
FROM stated_trades AS t
INNER JOIN batch_captures AS b ON t.capture_id = b.capture_id
ORDER BY t.reporter_id, t.buyer_text, t.agreement_text
