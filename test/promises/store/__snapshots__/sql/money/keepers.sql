-- readKeepers
select "run"."connection_id", "run"."model_id", "run"."user_id", coalesce(made.prompt, '') as "prompt", sum(coalesce(run.cost_micros, 0)) as "micros", sum(case when run.cost_micros is null then 1 else 0 end) as "unpriced", sum(coalesce(made.kept, 0)) as "kept", count(*) as "runs"
  from "run"
  left join (select "run_id", min(substr(prompt_text, 1, 300)) as "prompt", sum(case when pick = 'kept' and trashed_at is null and deleted_at is null then 1 else 0 end) as "kept"
  from (select "run_id", "prompt_text", "pick", "trashed_at", "deleted_at"
  from "asset"
  where "project_id" in (?, ?) and "run_id" is not null and "made_in" is null
  union all select "run_id", "prompt_text", "pick", "trashed_at", "deleted_at"
  from "asset"
  where "made_in" in (?, ?)) as "asset"
  group by "run_id") as "made" on "made"."run_id" = "run"."id"
  where "run"."project_id" in (?, ?) and "run"."task" in ('image', 'edit', 'upscale', 'background-removal', 'live', 'video', 'speech', 'music', 'transcription', '3d', 'other') and "run"."imported" is null and "run"."finished_at" >= ? and "run"."finished_at" < ? and ("run"."visibility" = ? or "run"."user_id" = ?)
  group by "run"."connection_id", "run"."model_id", "run"."user_id", coalesce(made.prompt, '');
select "id"
  from "connection"
  where ("scope" != ? or "scope_id" = ?);
select "run"."connection_id", "run"."model_id", "run"."user_id", coalesce(made.prompt, '') as "prompt", sum(coalesce(run.cost_micros, 0)) as "micros", sum(case when run.cost_micros is null then 1 else 0 end) as "unpriced", sum(coalesce(made.kept, 0)) as "kept", count(*) as "runs"
  from "run"
  left join (select "run_id", min(substr(prompt_text, 1, 300)) as "prompt", sum(case when pick = 'kept' and trashed_at is null and deleted_at is null then 1 else 0 end) as "kept"
  from (select "run_id", "prompt_text", "pick", "trashed_at", "deleted_at"
  from "asset"
  where "project_id" in (?) and "run_id" is not null and "made_in" is null
  union all select "run_id", "prompt_text", "pick", "trashed_at", "deleted_at"
  from "asset"
  where "made_in" in (?)) as "asset"
  group by "run_id") as "made" on "made"."run_id" = "run"."id"
  where "run"."project_id" in (?) and "run"."task" in ('image', 'edit', 'upscale', 'background-removal', 'live', 'video', 'speech', 'music', 'transcription', '3d', 'other') and "run"."imported" is null and "run"."finished_at" >= ? and "run"."finished_at" < ? and ("run"."visibility" = ? or "run"."user_id" = ?)
  group by "run"."connection_id", "run"."model_id", "run"."user_id", coalesce(made.prompt, '');
