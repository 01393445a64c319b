-- answerQuestion
select "type", "payload"
  from "run_event"
  where "run_id" = ? and "type" in (?, ?)
  order by "seq";

-- answerQuestion, on SQLite
select *
  from "run"
  where "id" = ?;

-- answerQuestion, on PostgreSQL
select *
  from "run"
  where "id" = ?
  for no key update;

-- findQuestion
select "type", "payload"
  from "run_event"
  where "run_id" = ? and "type" in (?, ?)
  order by "seq";

-- insertQuestion
update "run"
  set "seq" = "seq" + ?
  where "id" = ? and "fence" = ? and "finished_at" is null
  returning "seq";
insert into "run_event" ("run_id", "seq", "type", "payload", "at")
  values (?, ?, ?, ?, ?);
