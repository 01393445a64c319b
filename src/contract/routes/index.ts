import { accessRoutes } from "./access.ts";
import { auditRoutes } from "./admin/audit.ts";
import { backupRoutes } from "./admin/backups.ts";
import { operationRoutes } from "./admin/operations.ts";
import { aliasRoutes } from "./aliases.ts";
import { assetRoutes } from "./assets.ts";
import { billRoutes } from "./bills.ts";
import { feedbackRoutes } from "./chats/feedback.ts";
import { folderRoutes } from "./chats/folders.ts";
import { voiceRoutes } from "./chats/voice.ts";
import { collectionRoutes } from "./collections.ts";
import { comparisonRoutes } from "./comparisons.ts";
import { connectionRoutes } from "./connections.ts";
import { conversationRoutes } from "./conversations.ts";
import { deletionRoutes } from "./deletions.ts";
import { docsRoutes } from "./docs.ts";
import { anthropicRoutes } from "./doors/anthropic.ts";
import { falRoutes } from "./doors/fal.ts";
import { openAiRoutes } from "./doors/openai.ts";
import { keyRoutes } from "./keys.ts";
import { moneyRoutes } from "./money.ts";
import { peopleRoutes } from "./people.ts";
import { projectRoutes } from "./projects.ts";
import { runRoutes } from "./runs.ts";
import { searchRoutes } from "./search.ts";
import { sessionRoutes } from "./session.ts";
import { tagRoutes } from "./tags.ts";
import { webhookRoutes } from "./webhooks.ts";
import { webhookInRoutes } from "./webhooks-in.ts";
import { wordListRoutes } from "./word-lists.ts";

/**
 * Every route. The server registers them, the browser's client calls them, and the security test
 * iterates over them.
 */
export const routes = {
  ...sessionRoutes,
  ...keyRoutes,
  ...peopleRoutes,
  ...projectRoutes,
  ...deletionRoutes,
  ...wordListRoutes,
  ...connectionRoutes,
  ...accessRoutes,
  ...auditRoutes,
  ...operationRoutes,
  ...backupRoutes,
  ...aliasRoutes,
  ...conversationRoutes,
  ...runRoutes,
  ...voiceRoutes,
  ...assetRoutes,
  ...searchRoutes,
  ...folderRoutes,
  ...feedbackRoutes,
  ...tagRoutes,
  ...collectionRoutes,
  ...comparisonRoutes,
  ...moneyRoutes,
  ...billRoutes,
  ...webhookRoutes,
  ...webhookInRoutes,
  ...openAiRoutes,
  ...anthropicRoutes,
  ...falRoutes,
  ...docsRoutes,
} as const;
export type RouteName = keyof typeof routes;
