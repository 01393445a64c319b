-- countConnections
select count(*) as "n"
  from "connection"
  where "scope" = ? and "scope_id" = ?;
select count(*) as "n"
  from "connection"
  where "scope" = ? and "scope_id" is null;

-- findConnectionByKind
select *
  from "connection"
  where "kind" = ?
  order by "id"
  limit ?;

-- getConnection
select *
  from "connection"
  where "id" = ?;

-- getUsableConnection
select *
  from "connection"
  where ("scope" = ? or ("scope" = ? and "scope_id" = ?) or ("scope" = ? and "scope_id" = ?)) and "id" = ?;

-- insertConnection
insert into "connection" ("id", "slug", "kind", "name", "scope", "scope_id", "base_urls", "options", "secret", "status", "status_detail", "text_places", "media_places", "said_places", "text_turn", "media_turn", "checked_at", "listed_at", "models_version", "created_by", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- listConnectionIds
select "id"
  from "connection"
  where "status" != ? and "kind" != ?
  order by "id";

-- listOptionsOfKind
select "options"
  from "connection"
  where "kind" = ? and "scope" = ? and "status" != ?;

-- listSharedConnections
select *
  from "connection"
  where "scope" = ?
  order by "id";

-- listUsableConnections
select *
  from "connection"
  where ("scope" = ? or ("scope" = ? and "scope_id" = ?) or ("scope" = ? and "scope_id" = ?))
  order by "id";
select *
  from "connection"
  where ("scope" = ? or ("scope" = ? and "scope_id" = ?))
  order by "id";

-- lockConnection, on SQLite
select "id"
  from "connection"
  where "id" = ?;

-- lockConnection, on PostgreSQL
select "id"
  from "connection"
  where "id" = ?
  for no key update;

-- lockConnections, on SQLite
select "status"
  from "connection"
  where "id" = ?;

-- lockConnections, on PostgreSQL
select "status"
  from "connection"
  where "id" = ?
  for key share;

-- recordCheck
update "connection"
  set "status" = ?, "status_detail" = ?, "checked_at" = ?
  where ("id" = ? and "base_urls" = ? and "options" = ? and "secret" = ?) and "status" != ?
  returning *;
update "connection"
  set "status" = ?, "status_detail" = ?, "checked_at" = ?
  where ("id" = ? and "base_urls" = ? and "options" = ? and "secret" is null) and "status" != ?
  returning *;

-- recordList
update "connection"
  set "listed_at" = ?
  where ("id" = ? and "base_urls" = ? and "options" = ? and "secret" = ?) and "listed_at" is null;
update "connection"
  set "listed_at" = ?
  where ("id" = ? and "base_urls" = ? and "options" = ? and "secret" is null) and "listed_at" is null;

-- removeConnection
select "id"
  from "run"
  where "connection_id" = ? and "finished_at" is null
  limit ?;
delete
  from "connection"
  where "id" = ?;

-- removeConnection, on SQLite
select "id"
  from "connection"
  where "id" = ?;

-- removeConnection, on PostgreSQL
select "id"
  from "connection"
  where "id" = ?
  for update;

-- slugExists
select "id"
  from "connection"
  where "slug" = ?;

-- updateConnection
update "connection"
  set "name" = ?, "base_urls" = ?, "options" = ?, "secret" = ?, "status" = ?, "status_detail" = ?, "checked_at" = ?, "text_places" = ?, "media_places" = ?, "said_places" = ?
  where "id" = ?
  returning *;
update "connection"
  set 
  where "id" = ?
  returning *;
