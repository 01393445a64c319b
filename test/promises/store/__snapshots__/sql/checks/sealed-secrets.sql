-- listSealedSecrets
select "id", "scope", "scope_id", "secret"
  from "connection"
  where "secret" is not null
  order by "id";
select "connection"."id", "connection"."scope", "connection"."scope_id", "connection_grant"."secret"
  from "connection_grant"
  inner join "connection" on "connection"."id" = "connection_grant"."connection_id"
  where "connection_grant"."secret" is not null
  order by "connection"."id";
select "id", "secret", "old_secret"
  from "webhook_endpoint"
  order by "id";

-- replaceSealedSecret
update "connection"
  set "secret" = ?
  where "id" = ? and "secret" = ?;
update "webhook_endpoint"
  set "secret" = ?
  where "id" = ? and "secret" = ?;
