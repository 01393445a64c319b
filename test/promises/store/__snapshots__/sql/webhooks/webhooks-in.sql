-- isWebhookKnown
select "outcome"
  from "webhook_in"
  where "connection_id" = ? and "event_id" = ?;

-- pruneWebhooks
delete
  from "webhook_in"
  where ("connection_id", "event_id") in (select "connection_id", "event_id"
  from "webhook_in"
  where "received_at" < ?
  order by "received_at"
  limit ?);

-- recordWebhook
insert into "webhook_in" ("connection_id", "event_id", "received_at", "outcome")
  values (?, ?, ?, ?)
  on conflict do nothing;
