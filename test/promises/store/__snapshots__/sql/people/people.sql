-- activateMasterKey
update "instance"
  set "master_key_version" = ?, "master_key_check" = ?
  where "id" = ? and "master_key_version" = ?;

-- areKnown, on SQLite
select count(*) as "n"
  from "user"
  where "id" in (select value
  from json_each(?));

-- areKnown, on PostgreSQL
select count(*) as "n"
  from "user"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- claimInstance
update "instance"
  set "owner_id" = ?, "setup_code_hash" = ?
  where "id" = ? and "owner_id" is null;

-- consumeInvite
update "invite"
  set "used_at" = ?
  where "id" = ? and "used_at" is null;

-- countOwners, on SQLite
select "id"
  from "user"
  where "role" = ? and "status" = ?;

-- countOwners, on PostgreSQL
select "id"
  from "user"
  where "role" = ? and "status" = ?
  for no key update;

-- endSessions
delete
  from "session"
  where "userId" = ? and "id" = ?;
delete
  from "session"
  where "userId" = ?;

-- ensureInstance
insert into "instance" ("id", "owner_id", "setup_code_hash", "epoch", "master_key_version", "master_key_check", "place", "files_nonce", "files_next", "files_prefixes", "created_at", "models_for", "members_connect", "backup_hour", "backup_time_zone", "backup_keep")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;
update "instance"
  set "master_key_version" = ?, "master_key_check" = ?
  where "id" = ? and "master_key_check" is null;

-- findInvite
select *
  from "invite"
  where "token_hash" = ? and "kind" != ? and "used_at" is null and "expires_at" > ?;

-- findSession
select "user"."id", "user"."email", "user"."name", "user"."image", "user"."role", "user"."status", "user"."locale", "user"."timeZone", "user"."theme", "user"."titleModel", "user"."defaults", "user"."createdAt", "session"."expiresAt" as "session_expires_at"
  from "session"
  inner join "user" on "user"."id" = "session"."userId"
  where "session"."token" = ?;

-- findUserByEmail
select *
  from "user"
  where "email" = ?;

-- getInstance
select *
  from "instance"
  where "id" = ?;

-- getUser
select *
  from "user"
  where "id" = ?;

-- insertInvite
insert into "invite" ("id", "kind", "user_id", "token_hash", "email", "role", "project_id", "project_role", "created_by", "expires_at", "used_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insertUser
insert into "user" ("id", "name", "email", "emailVerified", "image", "createdAt", "updatedAt", "role", "status", "locale", "timeZone", "theme", "titleModel", "defaults")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "account" ("id", "accountId", "providerId", "userId", "accessToken", "refreshToken", "idToken", "accessTokenExpiresAt", "refreshTokenExpiresAt", "scope", "password", "createdAt", "updatedAt")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- listOpenInvites
select *
  from "invite"
  where "used_at" is null and "expires_at" > ? and "kind" != ?
  order by "id";

-- listPeople
select "user".*, (select count(*) as "n"
  from "project"
  where "project"."owner_id" = "user"."id" and "project"."id" not in (select "project_import"."project_id"
  from "project_import"
  where "project_import"."state" != 'done'
  union all select "deleted_project"."project_id"
  from "deleted_project")) as "projects"
  from "user"
  where "user"."id" not in (select "deleted_person"."user_id"
  from "deleted_person")
  order by "user"."name", "user"."id"
  limit ?;

-- listSessions
select *
  from "session"
  where "userId" = ?
  order by "createdAt" desc;

-- lockInstance, on SQLite
select "id"
  from "instance"
  where "id" = ?;

-- lockInstance, on PostgreSQL
select "id"
  from "instance"
  where "id" = ?
  for no key update;

-- pruneSessions
delete
  from "session"
  where "id" in (select "id"
  from "session"
  where "expiresAt" < ?
  limit ?);

-- recordAudit
insert into "audit_event" ("id", "actor_id", "action", "target_kind", "target_id", "ip", "detail", "at")
  values (?, ?, ?, ?, ?, ?, ?, ?);

-- removeInvite
select *
  from "invite"
  where "id" = ? and "kind" != ?;
delete
  from "invite"
  where "used_at" is null and "id" = ?;

-- removeInvitesOf
delete
  from "invite"
  where "used_at" is null and ("created_by" = ? or "user_id" = ?);

-- removePasswordLinks
delete
  from "invite"
  where "used_at" is null and "kind" = ? and "user_id" = ?;

-- setPassword
update "account"
  set "password" = ?
  where "userId" = ? and "providerId" = ?;

-- setSetupCode
update "instance"
  set "setup_code_hash" = ?
  where "id" = ? and "owner_id" is null;

-- updateUser
select *
  from "user"
  where "id" = ?;
update "project_member"
  set "name" = ?
  where "user_id" = ?;
update "user"
  set "name" = ?, "role" = ?, "status" = ?, "locale" = ?, "timeZone" = ?, "theme" = ?, "titleModel" = ?, "defaults" = ?
  where "id" = ?
  returning *;
