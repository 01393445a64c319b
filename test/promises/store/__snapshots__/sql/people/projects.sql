-- areProjects, on SQLite
select count(*) as "n"
  from "project"
  where "id" in (select value
  from json_each(?)) and "id" not in (select "project_import"."project_id"
  from "project_import"
  where "project_import"."state" != 'done'
  union all select "deleted_project"."project_id"
  from "deleted_project");

-- areProjects, on PostgreSQL
select count(*) as "n"
  from "project"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "id" not in (select "project_import"."project_id"
  from "project_import"
  where "project_import"."state" != 'done'
  union all select "deleted_project"."project_id"
  from "deleted_project");

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

-- countProjects
select count(*) as "n"
  from "project_member"
  where "user_id" = ?;

-- findMemberName
select "user"."name"
  from "user"
  inner join "project_member" on "project_member"."user_id" = "user"."id"
  where "user"."email" = ? and "project_member"."project_id" = ?;

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
  where "project_import"."state" != 'done'
  union all select "deleted_project"."project_id"
  from "deleted_project")
  returning "id";
insert into "project_member" ("project_id", "user_id", "role", "created_at", "name")
  values (?, ?, ?, ?, coalesce((select name
  from "user"
  where id = ?), ''))
  on conflict ("project_id", "user_id") do update
  set "role" = ?;
delete
  from "project_member"
  where "project_id" = ? and "user_id" = ?;

-- insertMember
insert into "project_member" ("project_id", "user_id", "role", "created_at", "name")
  values (?, ?, ?, ?, coalesce((select name
  from "user"
  where id = ?), ''))
  on conflict do nothing;

-- insertProject
insert into "project" ("id", "name", "description", "instructions", "owner_id", "defaults", "seq", "archived_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "project_member" ("project_id", "user_id", "role", "created_at", "name")
  values (?, ?, ?, ?, coalesce((select name
  from "user"
  where id = ?), ''));

-- isMember
select "role"
  from "project_member"
  where "project_id" = ? and "user_id" = ?;

-- listAllProjects
select "project"."id", "project"."name", (select "user"."name"
  from "user"
  where "user"."id" = "project"."owner_id") as "ownerName"
  from "project"
  where "project"."id" not in (select "project_import"."project_id"
  from "project_import"
  where "project_import"."state" != 'done'
  union all select "deleted_project"."project_id"
  from "deleted_project")
  order by "project"."name", "project"."id"
  limit ?;

-- listMemberIds
select "user_id"
  from "project_member"
  where "project_id" = ?;

-- listMembers
select "member"."project_id", "member"."user_id", "member"."role", "member"."created_at", "member"."name" as "place", "user"."name", "user"."email"
  from "project_member" as "member"
  inner join "user" on "user"."id" = "member"."user_id"
  where "member"."project_id" = ?
  order by "member"."name", "member"."user_id"
  limit ?;

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

-- requireRoomForProject
select count(*) as "n"
  from "project_member"
  where "user_id" = ?;

-- updateProject
update "project"
  set "name" = ?, "description" = ?, "instructions" = ?, "archived_at" = ?
  where "id" = ?;
