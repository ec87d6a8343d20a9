-- Grain: one start of a run, newest first, with the end that followed it; a run that was killed has none.
-- Unit: wall time in UTC.
-- Inputs: runs.
-- Clause: DESIGN 5 (wall time and versions go to runs only). A replayed run has the same id each time it is run.
WITH followed AS (
    SELECT
        r.run_id,
        r.command,
        r.event,
        r.occurred_at,
        r.recorded_at AS started_at,
        r.report_json AS versions_json,
        lead(r.event) OVER later AS next_event,
        lead(r.recorded_at) OVER later AS next_at,
        lead(r.exit_code) OVER later AS next_exit_code,
        lead(r.report_json) OVER later AS next_report_json
    FROM runs AS r
    WINDOW later AS (PARTITION BY r.run_id ORDER BY r.recorded_at, r.event DESC)
)

SELECT
    f.run_id,
    f.command,
    f.occurred_at AS clock_at,
    f.started_at,
    f.versions_json,
    CASE WHEN f.next_event <> 'started' THEN f.next_at END AS ended_at,
    CASE WHEN f.next_event <> 'started' THEN f.next_exit_code END AS exit_code,
    CASE WHEN f.next_event <> 'started' THEN f.next_report_json END AS report_json
FROM followed AS f
WHERE f.event = 'started'
ORDER BY f.started_at DESC, f.run_id
LIMIT $last
