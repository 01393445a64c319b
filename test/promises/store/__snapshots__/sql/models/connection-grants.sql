-- beginGrant
insert into "connection_grant" ("connection_id", "secret", "state_hash", "user_id", "begun_at")
  values (?, ?, ?, ?, ?)
  on conflict ("connection_id") do update
  set "state_hash" = ?, "user_id" = ?, "begun_at" = ?;

-- getGrant
select "secret"
  from "connection_grant"
  where "connection_id" = ?;

-- replaceGrant
update "connection_grant"
  set "secret" = ?
  where "connection_id" = ? and "secret" = ?
  returning "connection_id";
insert into "connection_grant" ("connection_id", "secret", "state_hash", "user_id", "begun_at")
  values (?, ?, ?, ?, ?)
  on conflict ("connection_id") do update
  set "secret" = ?
  where "connection_grant"."secret" is null
  returning "connection_id";

-- takeGrantState
update "connection_grant"
  set "state_hash" = ?, "user_id" = ?, "begun_at" = ?
  where "state_hash" = ? and "user_id" = ? and "begun_at" >= ?
  returning "connection_id";
