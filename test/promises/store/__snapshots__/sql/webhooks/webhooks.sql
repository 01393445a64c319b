-- getWebhookEndpoint
select "webhook_endpoint".*, "user"."name" as "makerName", "user"."status", "user"."role", "project_member"."role" as "projectRole"
  from "webhook_endpoint"
  inner join "user" on "user"."id" = "webhook_endpoint"."created_by"
  left join "project_member" on "project_member"."project_id" = "webhook_endpoint"."project_id" and "project_member"."user_id" = "user"."id"
  where "webhook_endpoint"."id" = ?
  order by "webhook_endpoint"."id";

-- insertWebhookEndpoint
insert into "webhook_endpoint" ("id", "project_id", "url", "secret", "events", "created_by", "created_at", "disabled_at", "disabled_why", "private_allowed", "old_secret", "old_secret_until", "failing_since")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- listPausedWebhooks
select "webhook_endpoint".*, "user"."name" as "makerName", "user"."status", "user"."role", "project_member"."role" as "projectRole"
  from "webhook_endpoint"
  inner join "user" on "user"."id" = "webhook_endpoint"."created_by"
  left join "project_member" on "project_member"."project_id" = "webhook_endpoint"."project_id" and "project_member"."user_id" = "user"."id"
  where "webhook_endpoint"."created_by" = ? and "webhook_endpoint"."disabled_at" is not null
  order by "webhook_endpoint"."id";

-- listWebhookEndpoints
select "webhook_endpoint".*, "user"."name" as "makerName", "user"."status", "user"."role", "project_member"."role" as "projectRole"
  from "webhook_endpoint"
  inner join "user" on "user"."id" = "webhook_endpoint"."created_by"
  left join "project_member" on "project_member"."project_id" = "webhook_endpoint"."project_id" and "project_member"."user_id" = "user"."id"
  where "webhook_endpoint"."project_id" = ?
  order by "webhook_endpoint"."id";
select "webhook_endpoint".*, "user"."name" as "makerName", "user"."status", "user"."role", "project_member"."role" as "projectRole"
  from "webhook_endpoint"
  inner join "user" on "user"."id" = "webhook_endpoint"."created_by"
  left join "project_member" on "project_member"."project_id" = "webhook_endpoint"."project_id" and "project_member"."user_id" = "user"."id"
  where "webhook_endpoint"."project_id" is null
  order by "webhook_endpoint"."id";

-- noteFailing
update "webhook_endpoint"
  set "failing_since" = ?
  where "id" = ? and "failing_since" is null;
update "webhook_endpoint"
  set "failing_since" = ?
  where "id" = ? and "failing_since" is not null;

-- pauseEndpoint
update "webhook_endpoint"
  set "disabled_at" = ?, "disabled_why" = ?
  where "id" = ? and "disabled_at" is null;

-- removeWebhookEndpoint
delete
  from "webhook_endpoint"
  where "id" = ?;

-- removeWebhookEndpoint, on SQLite
select "id"
  from "webhook_endpoint"
  where "id" = ?;

-- removeWebhookEndpoint, on PostgreSQL
select "id"
  from "webhook_endpoint"
  where "id" = ?
  for update;

-- replaceSecret
update "webhook_endpoint"
  set "old_secret" = "secret", "old_secret_until" = ?, "secret" = ?
  where "id" = ?;

-- updateWebhookEndpoint
update "webhook_endpoint"
  set "created_by" = ?, "url" = ?, "private_allowed" = ?, "failing_since" = ?, "events" = ?, "disabled_at" = ?, "disabled_why" = ?
  where "id" = ?;
update "webhook_endpoint"
  set "created_by" = ?
  where "id" = ?;
