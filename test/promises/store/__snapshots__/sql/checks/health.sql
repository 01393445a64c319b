-- countWebhookTrouble
select count("failing_since") as "failing", count("disabled_at") as "paused"
  from "webhook_endpoint";

-- listFailingConnections
select "id", "name", "scope", "status_detail"
  from "connection"
  where "status" = ?
  order by "name", "id";

-- readWorkload
select "state", count(*) as "all", count("waiting_for") as "waiting", min(case when waiting_for is null then created_at end) as "oldest"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed')
  group by "state";
