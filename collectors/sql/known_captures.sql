-- Which of some captures are committed already. Parameter: $capture_ids, a list.
-- Grain: one row a capture. Inputs: captures.
SELECT capture_id
FROM captures
WHERE list_contains($capture_ids, capture_id);
