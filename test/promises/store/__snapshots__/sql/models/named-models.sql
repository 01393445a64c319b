-- findNearModels
select *
  from "connection"
  where ("scope" = ? or ("scope" = ? and "scope_id" = ?) or ("scope" = ? and "scope_id" = ?))
  order by "id";
select "user"."role", "instance"."models_for"
  from "user"
  left join "instance" on "instance"."id" = ?
  where "user"."id" = ?;
select "connection_id", "model_id", "tasks", "fetched_at"
  from "model"
  where "connection_id" in (?) and "status" in (?, ?)
  order by "name", "connection_id", "model_id";
select "connection_id", "subject"
  from "model_access"
  where "model_id" = ?;
select "subject"
  from "model_access"
  where "model_id" != ?
  limit ?;
select *
  from "connection"
  where ("scope" = ? or ("scope" = ? and "scope_id" = ?))
  order by "id";

-- writeOpenAiModels
select *
  from "connection"
  where ("scope" = ? or ("scope" = ? and "scope_id" = ?) or ("scope" = ? and "scope_id" = ?))
  order by "id";
select "user"."role", "instance"."models_for"
  from "user"
  left join "instance" on "instance"."id" = ?
  where "user"."id" = ?;
select "connection_id", "model_id", "tasks", "fetched_at"
  from "model"
  where "connection_id" in (?) and "status" in (?, ?)
  order by "name", "connection_id", "model_id";
select "connection_id", "subject"
  from "model_access"
  where "model_id" = ?;
select "subject"
  from "model_access"
  where "model_id" != ?
  limit ?;
select *
  from "connection"
  where ("scope" = ? or ("scope" = ? and "scope_id" = ?))
  order by "id";
