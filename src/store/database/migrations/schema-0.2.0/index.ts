import { createTable, type Engine, execute, type MigrationDatabase, type Table } from "../ddl.ts";
import { connections } from "./connections.ts";
import { conversations } from "./conversations.ts";
import { library } from "./library.ts";
import { money } from "./money.ts";
import { people } from "./people.ts";
import { runs } from "./runs.ts";
import { server } from "./server.ts";
import { webhooks } from "./webhooks.ts";

/** Numbers below 100 belong to 0.1; every later migration has a higher one. */
export const schemaName = "0100-schema-0.2.0";

/** Every table of 0.2.0, after those it references. Frozen: later changes are migrations. */
export const schema = (engine: Engine): Table[] => [
  ...people,
  ...connections(engine),
  ...runs,
  ...library(engine),
  ...conversations(engine),
  ...money,
  ...webhooks,
  ...server,
];

/** Creates the schema in an empty database. */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  for (const { name, columns, constraints, indexes = [] } of schema(engine)) {
    await createTable(db, engine, name, columns, constraints);
    await execute(db, indexes);
  }
}
