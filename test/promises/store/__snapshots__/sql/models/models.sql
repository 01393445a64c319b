-- countModels
select "connection_id", count(*) as "n"
  from "model"
  where "connection_id" in (?, ?) and "status" != ?
  group by "connection_id";
select "connection_id", count(*) as "n"
  from "model"
  where "connection_id" in (?) and "status" != ?
  group by "connection_id";

-- getModel
select "model".*, "connection"."name" as "connection_name", "connection"."kind" as "connection_kind", "model_override"."prices" as "own_prices", "model_override"."ceiling_micros", "model_star"."created_at" as "starred_at", "model_override"."facts" as "own_facts", "model_override"."facts_at", (select "user".name
  from "user"
  where "user".id = model_override.facts_by) as "facts_by_name"
  from "model"
  inner join "connection" on "connection"."id" = "model"."connection_id"
  left join "model_override" on "model_override"."connection_id" = "model"."connection_id" and "model_override"."model_id" = "model"."model_id"
  left join "model_star" on "model_star"."connection_id" = "model"."connection_id" and "model_star"."model_id" = "model"."model_id" and "model_star"."user_id" = ?
  where "model"."connection_id" = ? and "model"."model_id" = ?;

-- getModelWithConnection
select "model".*, "connection"."name" as "connection_name", "connection"."kind" as "connection_kind", "model_override"."prices" as "own_prices", "model_override"."ceiling_micros", "model_star"."created_at" as "starred_at", "model_override"."facts" as "own_facts", "model_override"."facts_at", (select "user".name
  from "user"
  where "user".id = model_override.facts_by) as "facts_by_name", "connection"."id" as "of_id", "connection"."slug" as "of_slug", "connection"."kind" as "of_kind", "connection"."name" as "of_name", "connection"."scope" as "of_scope", "connection"."scope_id" as "of_scope_id", "connection"."base_urls" as "of_base_urls", "connection"."options" as "of_options", "connection"."secret" as "of_secret", "connection"."status" as "of_status", "connection"."status_detail" as "of_status_detail", "connection"."checked_at" as "of_checked_at", "connection"."created_by" as "of_created_by", "connection"."created_at" as "of_created_at", "connection"."text_places" as "of_text_places", "connection"."media_places" as "of_media_places", "connection"."said_places" as "of_said_places"
  from "model"
  inner join "connection" on "connection"."id" = "model"."connection_id"
  left join "model_override" on "model_override"."connection_id" = "model"."connection_id" and "model_override"."model_id" = "model"."model_id"
  left join "model_star" on "model_star"."connection_id" = "model"."connection_id" and "model_star"."model_id" = "model"."model_id" and "model_star"."user_id" = ?
  where "model"."connection_id" = ? and "model"."model_id" = ?;

-- listModelNames, on SQLite
select "connection_id", "model_id", "name"
  from "model"
  where "connection_id" in (select value
  from json_each(?)) and "model_id" in (select value
  from json_each(?));

-- listModelNames, on PostgreSQL
select "connection_id", "model_id", "name"
  from "model"
  where "connection_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "model_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- listModelsNamed
select "model".*, "connection"."name" as "connection_name", "connection"."kind" as "connection_kind", "model_override"."prices" as "own_prices", "model_override"."ceiling_micros", "model_star"."created_at" as "starred_at", "model_override"."facts" as "own_facts", "model_override"."facts_at", (select "user".name
  from "user"
  where "user".id = model_override.facts_by) as "facts_by_name"
  from "model"
  inner join "connection" on "connection"."id" = "model"."connection_id"
  left join "model_override" on "model_override"."connection_id" = "model"."connection_id" and "model_override"."model_id" = "model"."model_id"
  left join "model_star" on "model_star"."connection_id" = "model"."connection_id" and "model_star"."model_id" = "model"."model_id" and "model_star"."user_id" = ?
  where "model"."connection_id" = ? and "model"."status" != ? and "model"."model_id" like ?
  order by "model"."model_id";

-- markGone
update "connection"
  set "models_version" = "models_version" + ?
  where "id" = ?;
update "model"
  set "status" = ?
  where "connection_id" = ? and "fetched_at" < ?;

-- markListed
update "connection"
  set "models_version" = "models_version" + ?
  where "id" = ?;
update "model"
  set "fetched_at" = case when model.fetched_at > ? then model.fetched_at else ? end
  where "connection_id" = ? and "model_id" in (?, ?);
update "model"
  set "fetched_at" = case when model.fetched_at > ? then model.fetched_at else ? end
  where "connection_id" = ? and "model_id" in (?);

-- markModelGone
update "connection"
  set "models_version" = "models_version" + ?
  where "id" = ?;
update "model"
  set "status" = ?
  where "connection_id" = ? and "model_id" = ?;

-- putModelPrice
select "model".*, "connection"."name" as "connection_name", "connection"."kind" as "connection_kind", "model_override"."prices" as "own_prices", "model_override"."ceiling_micros", "model_star"."created_at" as "starred_at", "model_override"."facts" as "own_facts", "model_override"."facts_at", (select "user".name
  from "user"
  where "user".id = model_override.facts_by) as "facts_by_name"
  from "model"
  inner join "connection" on "connection"."id" = "model"."connection_id"
  left join "model_override" on "model_override"."connection_id" = "model"."connection_id" and "model_override"."model_id" = "model"."model_id"
  left join "model_star" on "model_star"."connection_id" = "model"."connection_id" and "model_star"."model_id" = "model"."model_id" and "model_star"."user_id" = ?
  where "model"."connection_id" = ? and "model"."model_id" = ?;
insert into "model_override" ("connection_id", "model_id", "prices", "price_kind", "ceiling_micros", "usual_nanos", "facts", "facts_by", "facts_at", "set_by", "set_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("connection_id", "model_id") do update
  set "set_by" = ?, "set_at" = ?, "ceiling_micros" = ?, "prices" = ?, "price_kind" = ?, "usual_nanos" = ?;
insert into "model_override" ("connection_id", "model_id", "prices", "price_kind", "ceiling_micros", "usual_nanos", "facts", "facts_by", "facts_at", "set_by", "set_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("connection_id", "model_id") do update
  set "set_by" = ?, "set_at" = ?;

-- starModel
select "model".*, "connection"."name" as "connection_name", "connection"."kind" as "connection_kind", "model_override"."prices" as "own_prices", "model_override"."ceiling_micros", "model_star"."created_at" as "starred_at", "model_override"."facts" as "own_facts", "model_override"."facts_at", (select "user".name
  from "user"
  where "user".id = model_override.facts_by) as "facts_by_name"
  from "model"
  inner join "connection" on "connection"."id" = "model"."connection_id"
  left join "model_override" on "model_override"."connection_id" = "model"."connection_id" and "model_override"."model_id" = "model"."model_id"
  left join "model_star" on "model_star"."connection_id" = "model"."connection_id" and "model_star"."model_id" = "model"."model_id" and "model_star"."user_id" = ?
  where "model"."connection_id" = ? and "model"."model_id" = ?;
insert into "model_star" ("user_id", "connection_id", "model_id", "created_at")
  values (?, ?, ?, ?)
  on conflict do nothing;
delete
  from "model_star"
  where "user_id" = ? and "connection_id" = ? and "model_id" = ?;

-- upsertModels
update "connection"
  set "models_version" = "models_version" + ?
  where "id" = ?;
select "id"
  from "connection"
  where "id" in (?) and "listed_at" is not null;
select "model_id", "facts"
  from "model_override"
  where "connection_id" = ? and "facts" is not null;
insert into "model" ("connection_id", "model_id", "name", "description", "tasks", "input_modalities", "output_modalities", "input_schema", "schema_hash", "capabilities", "limits", "price", "status", "search", "fetched_at", "facts", "context_tokens", "price_kind", "first_seen_at", "came_at", "usual_nanos", "facts_source")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("connection_id", "model_id") do update
  set "name" = ?, "description" = ?, "tasks" = ?, "input_modalities" = ?, "output_modalities" = ?, "input_schema" = ?, "schema_hash" = ?, "capabilities" = ?, "limits" = ?, "price" = ?, "status" = ?, "search" = ?, "fetched_at" = case when model.fetched_at > ? then model.fetched_at else ? end, "facts" = ?, "context_tokens" = ?, "price_kind" = ?, "usual_nanos" = ?, "facts_source" = ?, "came_at" = ?;
insert into "model" ("connection_id", "model_id", "name", "description", "tasks", "input_modalities", "output_modalities", "input_schema", "schema_hash", "capabilities", "limits", "price", "status", "search", "fetched_at", "facts", "context_tokens", "price_kind", "first_seen_at", "came_at", "usual_nanos", "facts_source")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("connection_id", "model_id") do update
  set "name" = ?, "description" = ?, "tasks" = ?, "input_modalities" = ?, "output_modalities" = ?, "input_schema" = ?, "schema_hash" = ?, "capabilities" = ?, "limits" = ?, "price" = ?, "status" = ?, "search" = ?, "fetched_at" = case when model.fetched_at > ? then model.fetched_at else ? end, "facts" = ?, "context_tokens" = ?, "price_kind" = ?, "usual_nanos" = ?, "facts_source" = ?;
