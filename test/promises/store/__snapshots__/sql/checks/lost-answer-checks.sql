-- findLostAnswers
select "run"."id", "run"."task", "run"."state", "run"."cost_basis", "run"."error", "run"."warnings", "attempt"."number", "attempt"."state" as "attempt_state"
  from "attempt"
  inner join "run" on "run"."id" = "attempt"."run_id"
  where "run"."finished_at" is not null and "run"."imported" is null and "attempt"."provider_urls" is null and (attempt.state = 'refused' and attempt.http_status between 200 and 299 or attempt.state in ('ended', 'lost') and attempt.number = run.attempts
          and run.state = 'failed' and coalesce(attempt.http_status, 200) between 200 and 299
          and not exists (select 1
  from output
  where output.run_id = run.id))
  order by "run"."id", "attempt"."number";
