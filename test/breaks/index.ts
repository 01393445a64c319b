import { access } from "./access.ts";
import type { Break } from "./break.ts";
import { files } from "./files.ts";
import { lately } from "./lately.ts";
import { leaks } from "./leaks.ts";
import { money } from "./money.ts";
import { runs } from "./runs.ts";

/**
 * The behaviors whose removal the tests must notice. `npm run breaks` removes one after another.
 */
export const breaks: readonly Break[] = [
  ...runs,
  ...money,
  ...files,
  ...access,
  ...leaks,
  ...lately,
];
