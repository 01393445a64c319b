-- listAuditEvents
select "audit_event".*, "user"."name" as "actor_name", "user"."email" as "actor_email", case when "target_kind" = ? then (select name
  from "user"
  where "user"."id" = audit_event.target_id) when "target_kind" = ? then (select name
  from "project"
  where "project"."id" = audit_event.target_id) when "target_kind" = ? then (select name
  from "api_key"
  where "api_key"."id" = audit_event.target_id) when "target_kind" = ? then (select name
  from connection
  where connection.id = audit_event.target_id and connection.scope = 'instance') when "target_kind" = ? then audit_event.target_id end as "target_name"
  from "audit_event"
  left join "user" on "user"."id" = "audit_event"."actor_id"
  order by "audit_event"."at" desc, "audit_event"."id" desc
  limit ?;

-- listKeyActions
select "action"
  from "audit_event"
  where "action" in (?, ?) and "detail" = ?;
