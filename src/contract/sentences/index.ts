import { access } from "./access.ts";
import { account, deletions } from "./account.ts";
import { aliases } from "./aliases.ts";
import { answers } from "./answers.ts";
import { api, notHere } from "./api.ts";
import { chat, exports } from "./chat.ts";
import { cloud } from "./cloud.ts";
import { connections } from "./connections.ts";
import { fal } from "./fal.ts";
import { collections, files, tags } from "./files.ts";
import { imports } from "./imports.ts";
import { keys } from "./keys.ts";
import { comparisons, media } from "./media.ts";
import { money } from "./money.ts";
import { network } from "./network.ts";
import { projects } from "./projects.ts";
import { runs } from "./runs.ts";
import { sessions } from "./sessions.ts";
import { settings } from "./settings.ts";
import { signIn } from "./sign-in.ts";
import { backups, storage } from "./storage.ts";
import { tools } from "./tools.ts";
import { webhooks } from "./webhooks.ts";
import { workflows } from "./workflows.ts";

/**
 * The server's sentences by area: errors, warnings of runs, results of checks, notes of
 * connections. A sentence with parameters is a function, so a missing parameter doesn't compile.
 */
export const sentences = {
  access,
  account,
  aliases,
  answers,
  api,
  backups,
  chat,
  cloud,
  collections,
  comparisons,
  connections,
  deletions,
  exports,
  fal,
  files,
  imports,
  keys,
  media,
  money,
  network,
  notHere,
  projects,
  runs,
  sessions,
  settings,
  signIn,
  storage,
  tags,
  tools,
  webhooks,
  workflows,
};
