import { connections } from "./connections.ts";
import { conversations } from "./conversations.ts";
import { library } from "./library.ts";
import { money } from "./money.ts";
import { people } from "./people.ts";
import { runs } from "./runs.ts";
import { server } from "./server.ts";
import { webhooks } from "./webhooks.ts";
import type { TableName, WordsOf } from "./words.ts";

/** The documents' descriptions of every table. A missing table doesn't compile. */
export const tableWords: WordsOf<TableName> = {
  ...people,
  ...connections,
  ...runs,
  ...library,
  ...conversations,
  ...money,
  ...webhooks,
  ...server,
};
