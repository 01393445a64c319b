-- getBatch
select *
  from "batch"
  where "id" = ?;

-- insertBatch
insert into "batch" ("id", "project_id", "kind", "task", "input", "axes", "created_by", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?);

-- listBatches
select *
  from "batch"
  where "project_id" = ? and ("created_by" = ? or (select "run"."id"
  from "run"
  where "run"."batch_id" = "batch"."id" and "run"."visibility" = ?
  limit ?) is null)
  order by "id" desc
  limit ?;
