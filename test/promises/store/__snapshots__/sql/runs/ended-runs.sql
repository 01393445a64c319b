-- eraseContent
update "run"
  set "input" = ?, "asked" = ?, "next_models" = ?, "result" = ?, "error" = ?
  where "id" = ?;
delete
  from "run_event"
  where "run_id" = ? and "type" in (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
delete
  from "run_input"
  where "run_id" = ?;
delete
  from "output"
  where "run_id" = ? and "state" != ?;

-- eraseContent, on SQLite
select *
  from "run"
  where "id" = ?;

-- eraseContent, on PostgreSQL
select *
  from "run"
  where "id" = ?
  for no key update;

-- listPrunable
select "id"
  from "run"
  where "finished_at" < ? and "pruned_at" is null
  order by "finished_at"
  limit ?;

-- listRunsWithPromises
select distinct "run"."id"
  from "output"
  inner join "run" on "run"."id" = "output"."run_id"
  where "output"."state" = 'promised' and "run"."finished_at" is not null and "run"."id" > ?
  order by "run"."id"
  limit ?;

-- listSentWithoutJob
select "run"."id", "run"."project_id", "run"."input"
  from "run"
  inner join "attempt" on "attempt"."run_id" = "run"."id" and "attempt"."number" = "run"."attempts"
  where "run"."connection_id" = ? and "run"."finished_at" is null and "run"."state" in (?, ?) and "run"."id" != ? and "attempt"."provider_request_id" is null
  order by "run"."id" desc
  limit ?;

-- listUnknownJobs
select "run"."id", "attempt"."ended_at" as "endedAt", "run"."created_at" as "createdAt"
  from "run"
  inner join "connection" on "connection"."id" = "run"."connection_id"
  inner join "attempt" on "attempt"."run_id" = "run"."id" and "attempt"."number" = "run"."attempts"
  where "run"."state" = 'unconfirmed' and ("attempt"."provider_request_id" is not null or "connection"."kind" in (?, ?)) and "run"."id" > ?
  order by "run"."id"
  limit ?;
select "run"."id", "attempt"."ended_at" as "endedAt", "run"."created_at" as "createdAt"
  from "run"
  inner join "connection" on "connection"."id" = "run"."connection_id"
  inner join "attempt" on "attempt"."run_id" = "run"."id" and "attempt"."number" = "run"."attempts"
  where "run"."state" = 'unconfirmed' and ("attempt"."provider_request_id" is not null or "connection"."kind" in (?)) and "run"."id" > ?
  order by "run"."id"
  limit ?;

-- noteAfterEnd
update "run"
  set "cost_micros" = ?, "cost_basis" = ?, "usage" = ?, "result" = ?, "warnings" = ?, "seq" = ?
  where "id" = ?;
insert into "run_event" ("run_id", "seq", "type", "payload", "at")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);

-- noteAfterEnd, on SQLite
select *
  from "run"
  where "id" = ?;

-- noteAfterEnd, on PostgreSQL
select *
  from "run"
  where "id" = ?
  for no key update;

-- pruneRuns, on SQLite
delete
  from "run_event"
  where ("run_id", "seq") in (select "run_id", "seq"
  from "run_event"
  where "run_id" in (select value
  from json_each(?)) and "type" in ('text-delta', 'reasoning-delta', 'preview', 'partial', 'question', 'question-answered', 'progress', 'queue-place', 'source', 'service-silent')
  limit ?);
update "run"
  set "pruned_at" = ?
  where "id" in (select value
  from json_each(?));

-- pruneRuns, on PostgreSQL
delete
  from "run_event"
  where ("run_id", "seq") in (select "run_id", "seq"
  from "run_event"
  where "run_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "type" in ('text-delta', 'reasoning-delta', 'preview', 'partial', 'question', 'question-answered', 'progress', 'queue-place', 'source', 'service-silent')
  limit ?);
update "run"
  set "pruned_at" = ?
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
