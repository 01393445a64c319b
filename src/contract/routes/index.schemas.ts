import type { z } from "zod";
import { accessSchemas } from "./access.schemas.ts";
import { aliasSchemas } from "./aliases.schemas.ts";
import { assetSchemas } from "./assets.schemas.ts";
import { billSchemas } from "./bills.schemas.ts";
import { connectionSchemas } from "./connections.schemas.ts";
import { conversationSchemas } from "./conversations.schemas.ts";
import { docsSchemas } from "./docs.schemas.ts";
import { falSchemas } from "./fal.schemas.ts";
import type { RouteName } from "./index.ts";
import { keySchemas } from "./keys.schemas.ts";
import { moneySchemas } from "./money.schemas.ts";
import { openAiSchemas } from "./openai.schemas.ts";
import { peopleSchemas } from "./people.schemas.ts";
import { projectSchemas } from "./projects.schemas.ts";
import { runSchemas } from "./runs.schemas.ts";
import { sessionSchemas } from "./session.schemas.ts";
import { voiceSchemas } from "./voice.schemas.ts";
import { webhookSchemas } from "./webhooks.schemas.ts";
import { webhookInSchemas } from "./webhooks-in.schemas.ts";

export type RouteSchemas = {
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  response?: z.ZodType;
};

/** The schemas of every route: a route without its line does not compile. */
export const schemas = {
  ...sessionSchemas,
  ...keySchemas,
  ...peopleSchemas,
  ...projectSchemas,
  ...connectionSchemas,
  ...accessSchemas,
  ...aliasSchemas,
  ...conversationSchemas,
  ...runSchemas,
  ...voiceSchemas,
  ...assetSchemas,
  ...moneySchemas,
  ...billSchemas,
  ...webhookSchemas,
  ...webhookInSchemas,
  ...openAiSchemas,
  ...falSchemas,
  ...docsSchemas,
} satisfies Record<RouteName, RouteSchemas>;
export type Schemas = typeof schemas;

type Part<N extends RouteName, K extends string> = Schemas[N] extends {
  [P in K]: infer S extends z.ZodType;
}
  ? S
  : never;
/** What a caller gives. */
export type RouteInput<N extends RouteName, K extends "params" | "query" | "body"> = [
  Part<N, K>,
] extends [never]
  ? undefined
  : z.input<Part<N, K>>;
/** What the handler gets, parsed. */
export type RouteParsed<N extends RouteName, K extends "params" | "query" | "body"> = [
  Part<N, K>,
] extends [never]
  ? undefined
  : z.output<Part<N, K>>;
export type RouteOutput<N extends RouteName> = [Part<N, "response">] extends [never]
  ? undefined
  : z.output<Part<N, "response">>;
