-- findUncountedSearches
select "run"."id", "run"."state", "run"."usage", "run"."result", "run"."warnings", "message"."parts"
  from "run"
  inner join "attempt" on "attempt"."run_id" = "run"."id" and "attempt"."number" = "run"."attempts"
  left join "message" on "message"."id" = "run"."message_id"
  where "run"."task" = ? and "run"."finished_at" is not null and "run"."imported" is null and "attempt"."provider_urls" is not null
  order by "run"."id";
