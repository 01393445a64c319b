import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Concurrent runs for text and for media, where null is the default, and the last turn in each.
 * Connections left at the old default take the new one.
 */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [
    `alter table connection add column text_places integer`,
    `alter table connection add column media_places integer`,
    `alter table connection add column said_places integer`,
    `alter table connection add column text_turn text`,
    `alter table connection add column media_turn text`,
    `update connection set text_places = concurrency, media_places = concurrency
       where concurrency <> case when kind in ('builtin', 'ollama', 'comfyui') then 4 else 8 end and kind <> 'alias'`,
    `alter table connection drop column concurrency`,
  ]);
}
