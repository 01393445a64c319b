-- claimAdmitted, on SQLite
select *
  from "run"
  where "id" = ?;

-- claimAdmitted, on PostgreSQL
select *
  from "run"
  where "id" = ?
  for no key update;

-- claimRuns
select *
  from "circuit"
  where "connection_id" = ?;
select coalesce(api_key_id, user_id) as "taker", "task", count(*) as "runs"
  from "run"
  where "connection_id" = ? and "state" in ('submitting', 'submitted', 'running', 'storing') and "state" != 'storing' and "placeless" = 0
  group by coalesce(api_key_id, user_id), "task";
select "model_id"
  from "run"
  where "connection_id" = ? and "state" = 'queued' and "model_id" > ?
  order by "connection_id", "model_id"
  limit ?;
select coalesce(api_key_id, user_id) as "taker"
  from "run"
  where "connection_id" = ? and "state" = 'queued' and "waiting_for" is null and "task" in ('chat', 'embedding', 'tool') and ("not_before" is null or "not_before" <= ? or "not_before" > ?) and "user_id" not in (select "id"
  from "user"
  where "status" = 'suspended')
  group by coalesce(api_key_id, user_id);
select "id", "attempts", "fence", "request_hash", "started_at"
  from "run"
  where "connection_id" = ? and "state" = 'queued' and "waiting_for" is null and "task" in ('chat', 'embedding', 'tool') and ("not_before" is null or "not_before" <= ? or "not_before" > ?) and "user_id" not in (select "id"
  from "user"
  where "status" = 'suspended') and coalesce(api_key_id, user_id) = ?
  order by "priority" desc, "id"
  limit ?;
select coalesce(api_key_id, user_id) as "taker"
  from "run"
  where "connection_id" = ? and "state" = 'queued' and "waiting_for" is null and "task" not in ('chat', 'embedding', 'tool') and ("not_before" is null or "not_before" <= ? or "not_before" > ?) and "user_id" not in (select "id"
  from "user"
  where "status" = 'suspended')
  group by coalesce(api_key_id, user_id);
select "id", "attempts", "fence", "request_hash", "started_at"
  from "run"
  where "connection_id" = ? and "state" = 'queued' and "waiting_for" is null and "task" not in ('chat', 'embedding', 'tool') and ("not_before" is null or "not_before" <= ? or "not_before" > ?) and "user_id" not in (select "id"
  from "user"
  where "status" = 'suspended') and coalesce(api_key_id, user_id) = ?
  order by "priority" desc, "id"
  limit ?;

-- claimRuns, on SQLite
select "kind", "base_urls", "text_places", "media_places", "said_places", "text_turn", "media_turn", "status"
  from "connection"
  where "id" = ?;
select *
  from "run"
  where "id" = ?;

-- claimRuns, on PostgreSQL
select "kind", "base_urls", "text_places", "media_places", "said_places", "text_turn", "media_turn", "status"
  from "connection"
  where "id" = ?
  for no key update;
select *
  from "run"
  where "id" = ?
  for no key update;

-- connectionsWithWork
select "connection_id", min("not_before") as "not_before"
  from "run"
  where "state" = 'queued' and "waiting_for" is null
  group by "connection_id";

-- countSessions
select count(*) as "open"
  from "run"
  where "user_id" = ? and "task" = 'live' and "finished_at" is null;

-- findWork
select exists (select "id"
  from "run"
  where "state" = 'queued' and "waiting_for" is null) as "queued", exists (select "connection_id"
  from "circuit") as "circuits", exists (select "id"
  from "run"
  where "worker_id" = ? and "finished_at" is null) as "owned";

-- hasFreeSlot
select exists (select "id"
  from "run"
  where "connection_id" = ? and "state" = 'queued' and "waiting_for" is null) as "isAnyQueued", exists (select "connection_id"
  from "circuit"
  where "connection_id" = ?) as "isAnyPaused", (select count(*) as "runs"
  from "run"
  where "connection_id" = ? and "state" in ('submitting', 'submitted', 'running', 'storing') and "state" != 'storing' and "placeless" = 0 and "task" not in ('chat', 'embedding', 'tool')) as "taken";

-- hasFreeSlot, on SQLite
select "kind", "base_urls", "text_places", "media_places", "said_places"
  from "connection"
  where "id" = ? and "status" != 'disabled';

-- hasFreeSlot, on PostgreSQL
select "kind", "base_urls", "text_places", "media_places", "said_places"
  from "connection"
  where "id" = ? and "status" != 'disabled'
  for no key update skip locked;

-- isAnyQueued
select "id"
  from "run"
  where "connection_id" = ? and "state" = 'queued' and "waiting_for" is null
  limit ?;

-- isDrawnOn
select "id"
  from "run"
  where "connection_id" = ? and "task" = 'live' and "finished_at" is null
  limit ?;
