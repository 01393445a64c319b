import { access } from "./access.ts";
import type { Break } from "./break.ts";
import { files } from "./files.ts";
import { lately } from "./lately.ts";
import { leaks } from "./leaks.ts";
import { money } from "./money.ts";
import { runs } from "./runs.ts";

/** What the tests must notice when it is taken out. `npm run breaks` takes out one after the other. */
export const breaks: readonly Break[] = [
  ...runs,
  ...money,
  ...files,
  ...access,
  ...leaks,
  ...lately,
];
