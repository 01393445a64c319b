import { createTable, type Engine, execute, type MigrationDatabase, typeOf } from "./ddl.ts";

/** Projects that were deleted: with whom they come back until they are due, and how far they are erased after that. */
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

/** The number of a project that went with its person, for the next is counted from it. It was in the project's name alone. */
export async function numberedProjects(db: MigrationDatabase, engine: Engine): Promise<void> {
  await execute(db, [
    `alter table deleted_project add column number ${typeOf(engine, "int")}`,
    `update deleted_project set number = (select cast(substr(project.name, length('Deleted project ') + 1) as integer) from project where project.id = deleted_project.project_id) where project_id in (select project.id from project inner join deleted_person on deleted_person.user_id = project.owner_id)`,
  ]);
}

/** People who were deleted, under their number in the books, and how far what they made is erased. */
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
