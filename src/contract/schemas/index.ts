import type { z } from "zod";
import type { RouteName } from "../routes/index.ts";
import { accessSchemas } from "./access.ts";
import { auditSchemas } from "./admin/audit.ts";
import { backupSchemas } from "./admin/backups.ts";
import { operationSchemas } from "./admin/operations.ts";
import { aliasSchemas } from "./aliases.ts";
import { assetSchemas } from "./assets.ts";
import { billSchemas } from "./bills.ts";
import { feedbackSchemas } from "./chats/feedback.ts";
import { folderSchemas } from "./chats/folders.ts";
import { voiceSchemas } from "./chats/voice.ts";
import { collectionSchemas } from "./collections.ts";
import { comparisonSchemas } from "./comparisons.ts";
import { connectionSchemas } from "./connections.ts";
import { conversationSchemas } from "./conversations.ts";
import { deletionSchemas } from "./deletions.ts";
import { docsSchemas } from "./docs.ts";
import { anthropicSchemas } from "./doors/anthropic.ts";
import { falSchemas } from "./doors/fal.ts";
import { openAiSchemas } from "./doors/openai.ts";
import { keySchemas } from "./keys.ts";
import { moneySchemas } from "./money.ts";
import { peopleSchemas } from "./people.ts";
import { projectSchemas } from "./projects.ts";
import { runSchemas } from "./runs.ts";
import { searchSchemas } from "./search.ts";
import { sessionSchemas } from "./session.ts";
import { tagSchemas } from "./tags.ts";
import { webhookSchemas } from "./webhooks.ts";
import { webhookInSchemas } from "./webhooks-in.ts";
import { wordListSchemas } from "./word-lists.ts";

export type RouteSchemas = {
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  response?: z.ZodType;
};

/** The schemas of every route. A route without an entry doesn't compile. */
export const schemas = {
  ...sessionSchemas,
  ...keySchemas,
  ...peopleSchemas,
  ...projectSchemas,
  ...deletionSchemas,
  ...wordListSchemas,
  ...connectionSchemas,
  ...accessSchemas,
  ...auditSchemas,
  ...operationSchemas,
  ...backupSchemas,
  ...aliasSchemas,
  ...conversationSchemas,
  ...runSchemas,
  ...voiceSchemas,
  ...assetSchemas,
  ...searchSchemas,
  ...folderSchemas,
  ...feedbackSchemas,
  ...tagSchemas,
  ...collectionSchemas,
  ...comparisonSchemas,
  ...moneySchemas,
  ...billSchemas,
  ...webhookSchemas,
  ...webhookInSchemas,
  ...openAiSchemas,
  ...anthropicSchemas,
  ...falSchemas,
  ...docsSchemas,
} satisfies Record<RouteName, RouteSchemas>;
type Schemas = typeof schemas;

type Part<N extends RouteName, K extends string> = Schemas[N] extends {
  [P in K]: infer S extends z.ZodType;
}
  ? S
  : never;
/** The input of a caller. */
export type RouteInput<N extends RouteName, K extends "params" | "query" | "body"> = [
  Part<N, K>,
] extends [never]
  ? undefined
  : z.input<Part<N, K>>;
/** The parsed input of a handler. */
export type RouteParsed<N extends RouteName, K extends "params" | "query" | "body"> = [
  Part<N, K>,
] extends [never]
  ? undefined
  : z.output<Part<N, K>>;
export type RouteOutput<N extends RouteName> = [Part<N, "response">] extends [never]
  ? undefined
  : z.output<Part<N, "response">>;
