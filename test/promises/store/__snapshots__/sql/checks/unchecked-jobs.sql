-- findUncheckedJobs
select "run"."id", "run"."task", "run"."state", "run"."cost_basis", "run"."error", "run"."warnings", "attempt"."provider_request_id" as "job"
  from "run"
  inner join "attempt" on "attempt"."run_id" = "run"."id" and "attempt"."number" = "run"."attempts"
  left join "output" on "output"."run_id" = "run"."id"
  where "run"."state" = 'failed' and "run"."imported" is null and "output"."run_id" is null and "attempt"."provider_request_id" is not null and "attempt"."provider_urls" is not null and ("attempt"."http_status" is null or ("attempt"."http_status" >= ? and "attempt"."http_status" < ?))
  order by "run"."id";
