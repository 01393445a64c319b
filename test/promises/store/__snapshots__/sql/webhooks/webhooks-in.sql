-- isWebhookKnown
select "outcome"
  from "webhook_in"
  where "connection_id" = ? and "event_id" = ?;

-- pruneWebhooks
delete
  from "webhook_in"
  where "received_at" < ?;

-- recordWebhook
insert into "webhook_in" ("connection_id", "event_id", "received_at", "outcome")
  values (?, ?, ?, ?)
  on conflict do nothing;
