-- claimDeliveries
update "webhook_out"
  set "next_at" = ?, "attempts" = ?
  where "id" = ?;
update "webhook_out"
  set "status" = ?, "last_error" = ?
  where "endpoint_id" = ? and "status" = 'waiting' and "only_for" != (select created_by
  from webhook_endpoint
  where webhook_endpoint.id = webhook_out.endpoint_id);

-- claimDeliveries, on SQLite
select *
  from "webhook_out"
  where "endpoint_id" = ? and ("status" = 'waiting' and ("next_at" <= ? or ("attempts" = ? and "next_at" > ?) or ("attempts" = ? and "next_at" > ?))) and ("only_for" is null or "only_for" = ?)
  order by "next_at"
  limit ?;
select *
  from "webhook_out"
  where "endpoint_id" = ? and ("status" = 'waiting' and ("next_at" <= ? or ("attempts" = ? and "next_at" > ?))) and ("only_for" is null or "only_for" = ?)
  order by "next_at"
  limit ?;

-- claimDeliveries, on PostgreSQL
select *
  from "webhook_out"
  where "endpoint_id" = ? and ("status" = 'waiting' and ("next_at" <= ? or ("attempts" = ? and "next_at" > ?) or ("attempts" = ? and "next_at" > ?))) and ("only_for" is null or "only_for" = ?)
  order by "next_at"
  limit ?
  for no key update;
select *
  from "webhook_out"
  where "endpoint_id" = ? and ("status" = 'waiting' and ("next_at" <= ? or ("attempts" = ? and "next_at" > ?))) and ("only_for" is null or "only_for" = ?)
  order by "next_at"
  limit ?
  for no key update;

-- deliveryStandings
select *
  from "webhook_out"
  where "endpoint_id" = ? and ("only_for" is null or "only_for" = ?)
  order by "id" desc
  limit ?;
select count(*) as "waiting"
  from "webhook_out"
  where "endpoint_id" = ? and "status" = 'waiting' and ("only_for" is null or "only_for" = ?);

-- endpointsWithDue
select "webhook_endpoint".*, "user"."name" as "makerName", "user"."status", "user"."role", "project_member"."role" as "projectRole"
  from "webhook_endpoint"
  inner join "user" on "user"."id" = "webhook_endpoint"."created_by"
  left join "project_member" on "project_member"."project_id" = "webhook_endpoint"."project_id" and "project_member"."user_id" = "user"."id"
  where "webhook_endpoint"."disabled_at" is null and exists (select "webhook_out"."id"
  from "webhook_out"
  where "webhook_out"."endpoint_id" = "webhook_endpoint"."id" and ("status" = 'waiting' and ("next_at" <= ? or ("attempts" = ? and "next_at" > ?) or ("attempts" = ? and "next_at" > ?))))
  order by "webhook_endpoint"."id";
select "webhook_endpoint".*, "user"."name" as "makerName", "user"."status", "user"."role", "project_member"."role" as "projectRole"
  from "webhook_endpoint"
  inner join "user" on "user"."id" = "webhook_endpoint"."created_by"
  left join "project_member" on "project_member"."project_id" = "webhook_endpoint"."project_id" and "project_member"."user_id" = "user"."id"
  where "webhook_endpoint"."disabled_at" is null and exists (select "webhook_out"."id"
  from "webhook_out"
  where "webhook_out"."endpoint_id" = "webhook_endpoint"."id" and ("status" = 'waiting' and ("next_at" <= ? or ("attempts" = ? and "next_at" > ?))))
  order by "webhook_endpoint"."id";

-- findPending
select exists (select "id"
  from "webhook_out"
  where "status" = 'waiting') as "deliveries", exists (select "run_id"
  from "run_webhook"
  where "status" = 'waiting') as "calls";

-- forgetAnswers
update "webhook_out"
  set "answer" = ?, "last_error" = ?
  where "endpoint_id" = ?;

-- giveUpOthers
update "webhook_out"
  set "status" = ?, "last_error" = ?
  where "endpoint_id" = ? and "status" = 'waiting' and "only_for" != (select created_by
  from webhook_endpoint
  where webhook_endpoint.id = webhook_out.endpoint_id);

-- giveUpWaiting
update "webhook_out"
  set "status" = ?, "last_error" = ?
  where "endpoint_id" = ? and "status" = 'waiting' and "created_at" < ?;
update "webhook_out"
  set "status" = ?, "last_error" = ?
  where "endpoint_id" = ? and "status" = 'waiting';

-- listDeliveries
select *
  from "webhook_out"
  where "endpoint_id" = ? and ("only_for" is null or "only_for" = ?)
  order by "id" desc
  limit ?;

-- pruneDeliveries
delete
  from "webhook_out"
  where "id" in (select "id"
  from "webhook_out"
  where "status" != ? and "created_at" < ?
  order by "created_at"
  limit ?);

-- recordTry
update "webhook_out"
  set "status" = ?, "next_at" = ?, "last_error" = ?, "tried_at" = ?, "took_ms" = ?, "http_status" = ?, "answer" = ?
  where "id" = ?;

-- requeueDelivery
update "webhook_out"
  set "status" = ?, "attempts" = ?, "next_at" = ?, "created_at" = ?
  where "id" = ? and "endpoint_id" = ? and "status" != ? and ("only_for" is null or "only_for" = ?) and ("only_for" is null or "only_for" = (select created_by
  from webhook_endpoint
  where webhook_endpoint.id = webhook_out.endpoint_id));
