import { createTable, type Engine, execute, type MigrationDatabase, typeOf } from "./ddl.ts";

/**
 * Deleted projects: the members to restore with them until they are due, and the progress of their
 * erasure after that.
 */
export async function deletedProjects(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "deleted_project",
    {
      project_id: "text",
      members: "text",
      was_archived_at: "int?",
      deleted_by: "text",
      deleted_at: "int",
      due_at: "int",
      erased_to: "text",
      erased_at: "int?",
    },
    ["primary key (project_id)", "foreign key (project_id) references project (id)"],
  );
  await execute(db, [
    `create index deleted_project_due on deleted_project (due_at) where erased_at is null`,
  ]);
}

/**
 * Stores the number of a project that was deleted with its person, because the next number is
 * counted from it. Until now only the project's name contained it.
 */
export async function numberedProjects(db: MigrationDatabase, engine: Engine): Promise<void> {
  await execute(db, [
    `alter table deleted_project add column number ${typeOf(engine, "int")}`,
    `update deleted_project set number = (select cast(substr(project.name, length('Deleted project ') + 1) as integer) from project where project.id = deleted_project.project_id) where project_id in (select project.id from project inner join deleted_person on deleted_person.user_id = project.owner_id)`,
  ]);
}

/** Deleted people, under their number in the ledger, and the progress of erasing their work. */
export async function deletedPeople(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "deleted_person",
    {
      user_id: "text",
      number: "int",
      shared_work: "text",
      deleted_by: "text",
      deleted_at: "int",
      erased_to: "text",
      erased_at: "int?",
    },
    ["primary key (user_id)", "unique (number)"],
  );
  await execute(db, [`create index conversation_person on conversation (user_id)`]);
}
