import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Members are invited to a project with their future role. A project's owner manages it: where the
 * owner was removed, the first manager becomes the owner.
 */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  const firstManager =
    "select user_id from project_member where project_id = project.id and role = 'manager' order by created_at, user_id limit 1";
  const owner =
    "select 1 from project_member where project_id = project.id and user_id = project.owner_id";
  await execute(db, [
    `alter table invite add column project_role text`,
    `update project set owner_id = (${firstManager}) where not exists (${owner}) and exists (${firstManager})`,
    `update project_member set role = 'manager'
       where exists (select 1 from project where project.id = project_member.project_id and project.owner_id = project_member.user_id)`,
  ]);
}
