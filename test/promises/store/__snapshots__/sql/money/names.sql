-- modelNamesOf
select "connection_id", "model_id", "name"
  from "model"
  where "connection_id" in (?) and "model_id" in (?);

-- nameableConnections
select "id"
  from "connection"
  where ("scope" != ? or "scope_id" = ?);

-- namesOf
select "id", "name"
  from "project"
  where "id" in (?);
select "id", "name"
  from "user"
  where "id" in (?);
select "id", "name"
  from "connection"
  where "id" in (?);
select "id", "name"
  from "api_key"
  where "id" in (?);
select "project_id"
  from "deleted_project"
  where "project_id" in (?);
