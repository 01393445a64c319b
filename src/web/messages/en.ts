import { access } from "./en/access.ts";
import { activity } from "./en/activity.ts";
import { admin } from "./en/admin.ts";
import { answerInspector } from "./en/answer-inspector.ts";
import { ask } from "./en/ask.ts";
import { bills } from "./en/bills.ts";
import { budgets } from "./en/budgets.ts";
import { chat } from "./en/chat.ts";
import { components } from "./en/components.ts";
import { context } from "./en/context.ts";
import { create } from "./en/create.ts";
import { docs } from "./en/docs.ts";
import { draw } from "./en/draw.ts";
import { form } from "./en/form.ts";
import { home } from "./en/home.ts";
import { keys } from "./en/keys.ts";
import { library } from "./en/library.ts";
import { modelLines } from "./en/model-lines.ts";
import { models } from "./en/models.ts";
import { newProject } from "./en/new-project.ts";
import { project } from "./en/project.ts";
import { screens } from "./en/screens.ts";
import { settings } from "./en/settings.ts";
import { setup } from "./en/setup.ts";
import { shape } from "./en/shape.ts";
import { shell } from "./en/shell.ts";
import { storage } from "./en/storage.ts";
import { thread } from "./en/thread.ts";
import { tools } from "./en/tools.ts";
import { ui } from "./en/ui.ts";
import { usage } from "./en/usage.ts";
import { voice } from "./en/voice.ts";
import { webhooks } from "./en/webhooks.ts";

/** Every text of the program by id, as ICU; an area is a file. The page never loads them all: see areas.ts. Compiled at build by compile-messages.ts. */
export const en = {
  ...ui,
  ...shell,
  ...storage,
  ...screens,
  ...components,
  ...form,
  ...setup,
  ...home,
  ...ask,
  ...chat,
  ...answerInspector,
  ...thread,
  ...tools,
  ...context,
  ...shape,
  ...create,
  ...draw,
  ...library,
  ...access,
  ...activity,
  ...modelLines,
  ...models,
  ...newProject,
  ...project,
  ...docs,
  ...settings,
  ...keys,
  ...admin,
  ...usage,
  ...budgets,
  ...bills,
  ...voice,
  ...webhooks,
} as const;
