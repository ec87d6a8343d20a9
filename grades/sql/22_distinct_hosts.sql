-- Grain: one host as sources of the batch name it.
-- Unit: none.
-- Inputs: batch_rows.
-- Clause: grades 3.1, host and seller are kept apart.
SELECT DISTINCT b.host_text
FROM batch_rows AS b
WHERE b.host_text IS NOT NULL
ORDER BY b.host_text
