-- findNamedFrom
select *
  from "connection"
  where ("scope" = ? or ("scope" = ? and "scope_id" = ?) or ("scope" = ? and "scope_id" = ?))
  order by "id";
select "user"."role", "instance"."models_for"
  from "user"
  left join "instance" on "instance"."id" = ?
  where "user"."id" = ?;
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

-- findNamedFrom, on SQLite
select "id", "models_version"
  from "connection"
  where "id" in (select value
  from json_each(?));

-- findNamedFrom, on PostgreSQL
select "id", "models_version"
  from "connection"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- findNearModels
select *
  from "connection"
  where ("scope" = ? or ("scope" = ? and "scope_id" = ?) or ("scope" = ? and "scope_id" = ?))
  order by "id";
select "user"."role", "instance"."models_for"
  from "user"
  left join "instance" on "instance"."id" = ?
  where "user"."id" = ?;
select "connection_id", "model_id", "name", "tasks", "fetched_at"
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

-- findNearModels, on SQLite
select "id", "models_version"
  from "connection"
  where "id" in (select value
  from json_each(?));

-- findNearModels, on PostgreSQL
select "id", "models_version"
  from "connection"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- listChatModels
select *
  from "connection"
  where ("scope" = ? or ("scope" = ? and "scope_id" = ?) or ("scope" = ? and "scope_id" = ?))
  order by "id";
select "user"."role", "instance"."models_for"
  from "user"
  left join "instance" on "instance"."id" = ?
  where "user"."id" = ?;
select "connection_id", "model_id", "name", "tasks", "fetched_at"
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

-- listChatModels, on SQLite
select "id", "models_version"
  from "connection"
  where "id" in (select value
  from json_each(?));

-- listChatModels, on PostgreSQL
select "id", "models_version"
  from "connection"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- writeOpenAiModels
select "connection_id", "model_id", "name", "tasks", "fetched_at"
  from "model"
  where "connection_id" in (?) and "status" in (?, ?) and (exists (select 1
  from model_access as own
  where own.connection_id = model.connection_id and own.model_id = model.model_id and own.subject in (?, ?)) or (model.connection_id in (?, ?) and not exists (select 1
  from model_access as own
  where own.connection_id = model.connection_id and own.model_id = model.model_id)))
  order by "name", "connection_id", "model_id";
select "connection_id", "model_id", "name", "tasks", "fetched_at"
  from "model"
  where "connection_id" in (?) and "status" in (?, ?)
  order by "name", "connection_id", "model_id";
