-- insertDelivery
insert into "webhook_out" ("id", "endpoint_id", "event", "payload", "attempts", "next_at", "status", "last_error", "created_at", "tried_at", "took_ms", "http_status", "answer", "only_for")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- writeHooks
select "webhook_endpoint"."id", "webhook_endpoint"."events", "user"."id" as "makerId", "user"."status", "user"."role", "project_member"."role" as "projectRole"
  from "webhook_endpoint"
  inner join "user" on "user"."id" = "webhook_endpoint"."created_by"
  left join "project_member" on "project_member"."project_id" = "webhook_endpoint"."project_id" and "project_member"."user_id" = "user"."id"
  where "webhook_endpoint"."disabled_at" is null and "webhook_endpoint"."project_id" = ?
  order by "webhook_endpoint"."id";
