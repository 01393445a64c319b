-- adoptRuns
select "run"."id"
  from "run"
  where "worker_id" is not null and "worker_id" not in (select "worker"."id"
  from "worker") and "state" in ('submitting', 'submitted', 'running', 'storing')
  limit ?;
update "run"
  set "worker_id" = ?, "fence" = "fence" + ?
  where "id" in (?) and "worker_id" not in (select "id"
  from "worker")
  returning *;

-- beatWorker
update "worker"
  set "beat" = "beat" + ?
  where "id" = ?;

-- findKeysOf
select "instance"."master_key_version", "instance"."master_key_check", "worker"."id", "worker"."key_known", "worker"."key_used"
  from "instance"
  left join "worker" on "worker"."id" = ?
  where "instance"."id" = ?;

-- insertWorker
insert into "worker" ("id", "boot_id", "beat", "host", "started_at")
  values (?, ?, ?, ?, ?);

-- listOwnedRuns
select "id", "connection_id" as "connectionId"
  from "run"
  where "worker_id" = ? and "finished_at" is null;

-- listWorkerKeys
select "id", "host", "beat", "key_known", "key_used"
  from "worker"
  order by "id";

-- listWorkers
select *
  from "worker"
  order by "id";

-- removeWorker
delete
  from "worker"
  where "id" = ? and "beat" = ?;
delete
  from "worker"
  where "id" = ?;

-- retakeRuns
update "run"
  set "fence" = "fence" + ?
  where "id" in (?, ?) and "worker_id" = ? and "finished_at" is null
  returning *;
update "run"
  set "fence" = "fence" + ?
  where "id" in (?) and "worker_id" = ? and "finished_at" is null
  returning *;

-- setWorkerKeys
update "worker"
  set "key_known" = ?, "key_used" = ?
  where "id" = ?;
