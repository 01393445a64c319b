-- findReach
select *
  from "connection"
  where ("scope" = ? or ("scope" = ? and "scope_id" = ?) or ("scope" = ? and "scope_id" = ?))
  order by "id";
select "user"."role", "instance"."models_for"
  from "user"
  left join "instance" on "instance"."id" = ?
  where "user"."id" = ?;
select "connection_id", "subject"
  from "model_access"
  where "model_id" = ?;
select "subject"
  from "model_access"
  where "model_id" != ?
  limit ?;
select *
  from "connection"
  where ("scope" = ? or ("scope" = ? and "scope_id" = ?))
  order by "id";

-- getAccessSettings
select "models_for", "members_connect"
  from "instance"
  where "id" = ?;

-- isModelOpen
select "user"."role", "instance"."models_for", "model_access"."model_id", "model_access"."subject"
  from "user"
  left join "instance" on "instance"."id" = ?
  left join "model_access" on "model_access"."connection_id" = ? and "model_access"."model_id" in (?, ?)
  where "user"."id" = ?;

-- listConnectionUsers
select *
  from "model_access"
  where "model_id" = ?;

-- listModelUsers
select *
  from "model_access"
  where ("connection_id", "model_id") in ((?, ?), (?, ?));
select *
  from "model_access"
  where ("connection_id", "model_id") in ((?, ?));

-- raiseModelsVersion
update "connection"
  set "models_version" = "models_version" + ?
  where "id" = ?;

-- setModelUsers
update "connection"
  set "models_version" = "models_version" + ?
  where "id" = ?;
delete
  from "model_access"
  where "connection_id" = ? and "model_id" in (?);
insert into "model_access" ("connection_id", "model_id", "subject")
  values (?, ?, ?);

-- updateAccessSettings
update "instance"
  set "models_for" = ?, "members_connect" = ?
  where "id" = ?;
