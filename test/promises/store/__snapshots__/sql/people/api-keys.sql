-- findLivingKey
select "user".*, "api_key"."id" as "key_id", "api_key"."project_id" as "key_project_id", "api_key"."name" as "key_name", "api_key"."scopes" as "key_scopes", "api_key"."models" as "key_models", "api_key"."rate_per_minute" as "key_rate", "api_key"."keeps_running" as "key_keeps_running", "api_key"."last_used_at" as "key_used_at", "api_key"."expires_at" as "key_expires_at"
  from "api_key"
  inner join "user" on "user"."id" = "api_key"."user_id"
  inner join "project" on "project"."id" = "api_key"."project_id"
  inner join "project_member" on "project_member"."project_id" = "api_key"."project_id" and "project_member"."user_id" = "api_key"."user_id"
  where "api_key"."hash" = ? and "api_key"."revoked_at" is null and ("api_key"."expires_at" is null or "api_key"."expires_at" > ?) and "user"."status" = ? and "project"."archived_at" is null;

-- findLivingKeyById
select "hash"
  from "api_key"
  where "id" = ?;
select "user".*, "api_key"."id" as "key_id", "api_key"."project_id" as "key_project_id", "api_key"."name" as "key_name", "api_key"."scopes" as "key_scopes", "api_key"."models" as "key_models", "api_key"."rate_per_minute" as "key_rate", "api_key"."keeps_running" as "key_keeps_running", "api_key"."last_used_at" as "key_used_at", "api_key"."expires_at" as "key_expires_at"
  from "api_key"
  inner join "user" on "user"."id" = "api_key"."user_id"
  inner join "project" on "project"."id" = "api_key"."project_id"
  inner join "project_member" on "project_member"."project_id" = "api_key"."project_id" and "project_member"."user_id" = "api_key"."user_id"
  where "api_key"."hash" = ? and "api_key"."revoked_at" is null and ("api_key"."expires_at" is null or "api_key"."expires_at" > ?) and "user"."status" = ? and "project"."archived_at" is null;

-- getKeyName
select "id", "name"
  from "api_key"
  where "id" = ?;

-- getModelsOfKey
select "models"
  from "api_key"
  where "id" = ?;

-- insertApiKey
insert into "api_key" ("id", "user_id", "project_id", "name", "prefix", "hash", "scopes", "models", "rate_per_minute", "keeps_running", "expires_at", "last_used_at", "revoked_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- listAllApiKeys
select "api_key".*, "user"."name" as "owner_name", "user"."email" as "owner_email", "project"."name" as "project_name", "project"."archived_at", "project_member"."role" as "role"
  from "api_key"
  inner join "user" on "user"."id" = "api_key"."user_id"
  inner join "project" on "project"."id" = "api_key"."project_id"
  left join "project_member" on "project_member"."project_id" = "api_key"."project_id" and "project_member"."user_id" = "api_key"."user_id"
  where "api_key"."revoked_at" is null
  order by "api_key"."id" desc
  limit ?;

-- listApiKeys
select "api_key".*, "user"."name" as "owner_name", "user"."email" as "owner_email", "project"."name" as "project_name", "project"."archived_at", "project_member"."role" as "role"
  from "api_key"
  inner join "user" on "user"."id" = "api_key"."user_id"
  inner join "project" on "project"."id" = "api_key"."project_id"
  left join "project_member" on "project_member"."project_id" = "api_key"."project_id" and "project_member"."user_id" = "api_key"."user_id"
  where "api_key"."revoked_at" is null and "api_key"."user_id" = ? and "api_key"."id" = ?
  order by "api_key"."id" desc;
select "api_key".*, "user"."name" as "owner_name", "user"."email" as "owner_email", "project"."name" as "project_name", "project"."archived_at", "project_member"."role" as "role"
  from "api_key"
  inner join "user" on "user"."id" = "api_key"."user_id"
  inner join "project" on "project"."id" = "api_key"."project_id"
  left join "project_member" on "project_member"."project_id" = "api_key"."project_id" and "project_member"."user_id" = "api_key"."user_id"
  where "api_key"."revoked_at" is null and "api_key"."user_id" = ?
  order by "api_key"."id" desc;

-- listKeyOwners
select distinct "user_id"
  from "api_key"
  where "project_id" = ? and "revoked_at" is null;

-- noteKeyUse
update "api_key"
  set "last_used_at" = ?
  where "id" = ? and ("last_used_at" is null or "last_used_at" < ?);

-- revokeApiKey
update "api_key"
  set "revoked_at" = ?
  where "id" = ? and "revoked_at" is null and "user_id" = ?
  returning "user_id";
update "api_key"
  set "revoked_at" = ?
  where "id" = ? and "revoked_at" is null
  returning "user_id";

-- spentByKeys
select "api_key_id", sum("micros") as "micros"
  from "ledger_entry"
  where "api_key_id" in (?, ?) and "kind" not in (?, ?)
  group by "api_key_id";
select "api_key_id", sum("micros") as "micros"
  from "ledger_entry"
  where "api_key_id" in (?) and "kind" not in (?, ?)
  group by "api_key_id";

-- updateApiKey
update "api_key"
  set "name" = ?, "scopes" = ?, "models" = ?, "expires_at" = ?, "rate_per_minute" = ?, "keeps_running" = ?, "hash" = ?, "prefix" = ?
  where "id" = ? and "user_id" = ? and "revoked_at" is null;
select "api_key".*, "user"."name" as "owner_name", "user"."email" as "owner_email", "project"."name" as "project_name", "project"."archived_at", "project_member"."role" as "role"
  from "api_key"
  inner join "user" on "user"."id" = "api_key"."user_id"
  inner join "project" on "project"."id" = "api_key"."project_id"
  left join "project_member" on "project_member"."project_id" = "api_key"."project_id" and "project_member"."user_id" = "api_key"."user_id"
  where "api_key"."revoked_at" is null and "api_key"."user_id" = ? and "api_key"."id" = ?
  order by "api_key"."id" desc;
