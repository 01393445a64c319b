-- inviteMember
delete
  from "invite"
  where "project_id" = ? and "email" = ? and "used_at" is null and "kind" = ?;
insert into "invite" ("id", "kind", "user_id", "token_hash", "email", "role", "project_id", "project_role", "created_by", "expires_at", "used_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- listMemberInvites
select "invite"."id", "invite"."project_id", "invite"."email", "invite"."project_role", "invite"."expires_at", "project"."name" as "project_name", "user"."name" as "inviter_name"
  from "invite"
  inner join "project" on "project"."id" = "invite"."project_id"
  inner join "user" on "user"."id" = "invite"."created_by"
  inner join "project_member" as "maker" on "maker"."project_id" = "invite"."project_id" and "maker"."user_id" = "invite"."created_by"
  where "invite"."kind" = ? and "invite"."used_at" is null and "invite"."expires_at" > ? and "maker"."role" = ? and "user"."status" = ? and "project"."archived_at" is null and "invite"."project_id" = ?
  order by "invite"."id";

-- listMemberInvitesBy
select "invite"."id", "invite"."project_id", "invite"."email", "invite"."project_role", "invite"."expires_at", "project"."name" as "project_name", "user"."name" as "inviter_name"
  from "invite"
  inner join "project" on "project"."id" = "invite"."project_id"
  inner join "user" on "user"."id" = "invite"."created_by"
  inner join "project_member" as "maker" on "maker"."project_id" = "invite"."project_id" and "maker"."user_id" = "invite"."created_by"
  where "invite"."kind" = ? and "invite"."used_at" is null and "invite"."expires_at" > ? and "maker"."role" = ? and "user"."status" = ? and "project"."archived_at" is null and "invite"."created_by" = ? and "invite"."email" = ?
  order by "invite"."id";

-- listOwnInvites
select "invite"."id", "invite"."project_id", "invite"."email", "invite"."project_role", "invite"."expires_at", "project"."name" as "project_name", "user"."name" as "inviter_name"
  from "invite"
  inner join "project" on "project"."id" = "invite"."project_id"
  inner join "user" on "user"."id" = "invite"."created_by"
  inner join "project_member" as "maker" on "maker"."project_id" = "invite"."project_id" and "maker"."user_id" = "invite"."created_by"
  where "invite"."kind" = ? and "invite"."used_at" is null and "invite"."expires_at" > ? and "maker"."role" = ? and "user"."status" = ? and "project"."archived_at" is null and "invite"."email" = ?
  order by "invite"."id";

-- pruneInvites
delete
  from "invite"
  where "id" in (select "id"
  from "invite"
  where "expires_at" < ?
  limit ?);

-- removeMemberInvite
delete
  from "invite"
  where "id" = ? and "project_id" = ? and "used_at" is null and "kind" = ?;

-- takeMemberInvite
select "invite"."id", "invite"."project_id", "invite"."email", "invite"."project_role", "invite"."expires_at", "project"."name" as "project_name", "user"."name" as "inviter_name"
  from "invite"
  inner join "project" on "project"."id" = "invite"."project_id"
  inner join "user" on "user"."id" = "invite"."created_by"
  inner join "project_member" as "maker" on "maker"."project_id" = "invite"."project_id" and "maker"."user_id" = "invite"."created_by"
  where "invite"."kind" = ? and "invite"."used_at" is null and "invite"."expires_at" > ? and "maker"."role" = ? and "user"."status" = ? and "project"."archived_at" is null and "invite"."id" = ? and "invite"."email" = ?
  order by "invite"."id";
update "invite"
  set "used_at" = ?
  where "id" = ? and "used_at" is null;
