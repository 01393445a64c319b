-- claimChore
update "chore"
  set "worker_id" = ?
  where "kind" = ? and "key" = ? and "due_at" <= ? and ("worker_id" is null or "worker_id" not in (select "worker"."id"
  from "worker"));

-- getChore
select "chore".*, "worker"."id" as "living_id"
  from "chore"
  left join "worker" on "worker"."id" = "chore"."worker_id"
  where "chore"."kind" = ? and "chore"."key" = ?;

-- recordChore
insert into "chore" ("id", "kind", "key", "due_at", "worker_id", "attempts", "last_error")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("kind", "key") do update
  set "due_at" = ?, "worker_id" = ?, "attempts" = "chore"."attempts" + ?, "last_error" = ?;
insert into "chore" ("id", "kind", "key", "due_at", "worker_id", "attempts", "last_error")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("kind", "key") do update
  set "due_at" = ?, "worker_id" = ?, "attempts" = ?, "last_error" = ?;

-- releaseChore
update "chore"
  set "worker_id" = ?
  where "kind" = ? and "worker_id" = ?;

-- setChoreDue
insert into "chore" ("id", "kind", "key", "due_at", "worker_id", "attempts", "last_error")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("kind", "key") do update
  set "due_at" = ?;
