-- changeMember
update "project_member"
  set "role" = ?
  where "project_id" = ? and "user_id" = ?;
delete
  from "project_member"
  where "project_id" = ? and "user_id" = ?;

-- changeMember, on SQLite
select "owner_id"
  from "project"
  where "id" = ?;

-- changeMember, on PostgreSQL
select "owner_id"
  from "project"
  where "id" = ?
  for no key update;

-- getInstructions
select "instructions"
  from "project"
  where "id" = ?;

-- getManagedProject
select "project".*, "project_member"."role"
  from "project_member"
  inner join "project" on "project"."id" = "project_member"."project_id"
  where "project"."id" = ? and "project_member"."user_id" = ?;

-- getProject
select "project".*, "project_member"."role"
  from "project_member"
  inner join "project" on "project"."id" = "project_member"."project_id"
  where "project"."id" = ? and "project_member"."user_id" = ?;

-- handOverProject, on SQLite
select "owner_id"
  from "project"
  where "id" = ?;

-- handOverProject, on PostgreSQL
select "owner_id"
  from "project"
  where "id" = ?
  for no key update;

-- handOverProjects
update "project"
  set "owner_id" = ?
  where "owner_id" = ? and "id" not in (select "project_import"."project_id"
  from "project_import"
  where "project_import"."state" != 'done')
  returning "id";
insert into "project_member" ("project_id", "user_id", "role", "created_at")
  values (?, ?, ?, ?)
  on conflict ("project_id", "user_id") do update
  set "role" = ?;
delete
  from "project_member"
  where "project_id" = ? and "user_id" = ?;

-- insertMember
insert into "project_member" ("project_id", "user_id", "role", "created_at")
  values (?, ?, ?, ?)
  on conflict do nothing;

-- insertProject
insert into "project" ("id", "name", "description", "instructions", "owner_id", "defaults", "seq", "archived_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "project_member" ("project_id", "user_id", "role", "created_at")
  values (?, ?, ?, ?);

-- isMember
select "role"
  from "project_member"
  where "project_id" = ? and "user_id" = ?;

-- listAllProjects
select "project"."id", "project"."name", "user"."name" as "ownerName"
  from "project"
  inner join "user" on "user"."id" = "project"."owner_id"
  where "project"."id" not in (select "project_import"."project_id"
  from "project_import"
  where "project_import"."state" != 'done')
  order by "project"."name", "project"."id";

-- listMembers
select "project_member"."project_id", "project_member"."user_id", "project_member"."role", "project_member"."created_at", "user"."name", "user"."email"
  from "project_member"
  inner join "user" on "user"."id" = "project_member"."user_id"
  where "project_member"."project_id" = ?
  order by "user"."name";

-- listProjects
select "project".*, "project_member"."role"
  from "project_member"
  inner join "project" on "project"."id" = "project_member"."project_id"
  where "project_member"."user_id" = ?
  order by "project"."created_at", "project"."id";

-- projectExists
select "id"
  from "project"
  where "id" = ?;

-- updateProject
update "project"
  set "name" = ?, "description" = ?, "instructions" = ?, "archived_at" = ?
  where "id" = ?;
