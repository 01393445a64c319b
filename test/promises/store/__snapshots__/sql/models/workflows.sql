-- deleteWorkflow
delete
  from "workflow"
  where "connection_id" = ? and "id" = ?;

-- getWorkflow
select *
  from "workflow"
  where "connection_id" = ? and "id" = ?;

-- listWorkflowNames
select "workflow"."id", "workflow"."name", "workflow"."updated_at", "model"."status"
  from "workflow"
  left join "model" on "model"."connection_id" = "workflow"."connection_id" and "model"."model_id" = "workflow"."id"
  where "workflow"."connection_id" = ?
  order by "workflow"."name", "workflow"."id";

-- listWorkflows
select *
  from "workflow"
  where "connection_id" = ?
  order by "name", "id";

-- putWorkflow
insert into "workflow" ("connection_id", "id", "created_at", "name", "document", "updated_by", "updated_at")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("connection_id", "id") do update
  set "name" = ?, "document" = ?, "updated_by" = ?, "updated_at" = ?;
