-- getAlias
select *
  from "model_alias"
  where "name" = ?;

-- listAliases
select *
  from "model_alias"
  order by "name";

-- putAlias
insert into "connection" ("id", "slug", "kind", "name", "scope", "scope_id", "base_urls", "options", "secret", "status", "status_detail", "text_places", "media_places", "said_places", "text_turn", "media_turn", "checked_at", "listed_at", "models_version", "created_by", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("id") do nothing;
insert into "model_alias" ("name", "made_by", "created_at", "task", "models", "updated_at")
  values (?, ?, ?, ?, ?, ?)
  on conflict ("name") do update
  set "task" = ?, "models" = ?, "updated_at" = ?;
select "model".*, "connection"."name" as "connection_name", "connection"."kind" as "connection_kind", "model_override"."prices" as "own_prices", "model_override"."ceiling_micros", "model_star"."created_at" as "starred_at", "model_override"."facts" as "own_facts", "model_override"."facts_at", (select "user".name
  from "user"
  where "user".id = model_override.facts_by) as "facts_by_name"
  from "model"
  inner join "connection" on "connection"."id" = "model"."connection_id"
  left join "model_override" on "model_override"."connection_id" = "model"."connection_id" and "model_override"."model_id" = "model"."model_id"
  left join "model_star" on "model_star"."connection_id" = "model"."connection_id" and "model_star"."model_id" = "model"."model_id" and "model_star"."user_id" = ?
  where "model"."connection_id" = ? and "model"."model_id" = ?;

-- refreshAliases
select *
  from "model_alias"
  order by "name";

-- removeAlias
delete
  from "model_alias"
  where "name" = ?;
update "connection"
  set "models_version" = "models_version" + ?
  where "id" = ?;
update "model"
  set "status" = ?
  where "connection_id" = ? and "model_id" = ?;
delete
  from "model_access"
  where "connection_id" = ? and "model_id" = ?;
