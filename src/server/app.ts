import { type Context, Hono, type Next } from "hono";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { readBearer } from "./auth/bearer.ts";
import { createRateLimit, networkOf } from "./auth/rate-limit.ts";
import { isOwnHost, readClientConnection } from "./client-connection.ts";
import { createCommandLine } from "./command-line.ts";
import type { ServerDeps } from "./deps.ts";
import { falDoor } from "./doors/fal/app-door.ts";
import { uploadsPath } from "./doors/fal/uploads.ts";
import { createAppOrigins, programsDoor } from "./doors/programs/app-origins.ts";
import { notHere, versionMissing } from "./doors/programs/not-here.ts";
import { createRequestIds } from "./doors/programs/request-ids.ts";
import type { Env } from "./env.ts";
import { answerError, answerProgramError, registerRoutes } from "./gate.ts";
import { isSameOrigin } from "./origin.ts";
import { createPages } from "./pages.ts";
import { accessHandlers } from "./routes/access.ts";
import { auditHandlers } from "./routes/admin/audit.ts";
import { backupHandlers } from "./routes/admin/backups.ts";
import { operationHandlers } from "./routes/admin/operations.ts";
import { aliasHandlers } from "./routes/aliases.ts";
import { anthropicHandlers } from "./routes/anthropic.ts";
import { assetHandlers } from "./routes/assets.ts";
import { billHandlers } from "./routes/bills.ts";
import { feedbackHandlers } from "./routes/chats/feedback.ts";
import { folderHandlers } from "./routes/chats/folders.ts";
import { voiceHandlers } from "./routes/chats/voice.ts";
import { comparisonHandlers } from "./routes/comparisons.ts";
import { connectionHandlers } from "./routes/connections.ts";
import { conversationHandlers } from "./routes/conversations.ts";
import { projectDeletionHandlers } from "./routes/deletions/projects.ts";
import { docsHandlers } from "./routes/docs.ts";
import { falHandlers } from "./routes/fal.ts";
import { keyHandlers } from "./routes/keys.ts";
import { collectionHandlers } from "./routes/library/collections.ts";
import { tagHandlers } from "./routes/library/tags.ts";
import { moneyHandlers } from "./routes/money.ts";
import { openAiHandlers } from "./routes/openai.ts";
import { peopleHandlers } from "./routes/people.ts";
import { projectHandlers } from "./routes/projects.ts";
import { runHandlers } from "./routes/runs.ts";
import { searchHandlers } from "./routes/search.ts";
import { sessionHandlers } from "./routes/session.ts";
import { webhookHandlers } from "./routes/webhooks.ts";
import { webhookInHandlers } from "./routes/webhooks-in.ts";
import { wordListHandlers } from "./routes/word-lists.ts";

/** Requires https for half a year in browsers that have reached this server by https. */
const hsts = "max-age=15552000";

const ratesPerMinute = {
  "sign-in": limits.signInPerMinute,
  open: limits.openPerMinute,
  person: limits.personPerMinute,
  key: limits.keyRatePerMinute,
};

/** Requests per minute for an address, person or key, as overridden by tests. */
export type PerMinute = Partial<Record<keyof typeof ratesPerMinute, number>>;

/** Creates the HTTP app. `isReady` is false while the server starts or stops. */
export function createApp(
  deps: ServerDeps,
  isReady: () => boolean,
  given: PerMinute = {},
): Hono<Env> {
  const app = new Hono<Env>();
  const asksTooOften = (who: string): string => sentences.access.rateLimited({ who });
  const perMinute = { ...ratesPerMinute, ...given };
  const rates = {
    "sign-in": createRateLimit(perMinute["sign-in"], deps.clock),
    open: createRateLimit(perMinute.open, deps.clock, asksTooOften("This address")),
    person: createRateLimit(perMinute.person, deps.clock, asksTooOften("Your browser")),
    key: createRateLimit(perMinute.key, deps.clock, asksTooOften("This API key")),
  };

  app.onError((error, c) => answerError(deps, c, error));
  app.get("/healthz", (c) => c.text("ok"));
  app.get("/readyz", async (c) => {
    if (!isReady()) return c.text("not ready", 503);
    await deps.store.read.selectFrom("instance").select("id").limit(1).execute();
    // A storage that has never worked is misconfigured, so the server isn't ready. During an
    // outage, chats still work without files.
    const storage = await deps.engine.storage();
    if (storage.trouble === null) return c.text("ok");
    return c.text(
      storage.everWorked ? `ok, but: ${storage.trouble}` : storage.trouble,
      storage.everWorked ? 200 : 503,
    );
  });
  app.use("*", async (c, next) => {
    c.set("arrivedAt", deps.clock.monotonic());
    const line = readClientConnection(c.env.incoming, deps.settings);
    if (!isOwnHost(line.host, deps.settings.publicUrl))
      throw new Problem("forbidden", {
        message: sentences.access.unknownHost,
      });
    const changes = !["GET", "HEAD", "OPTIONS"].includes(c.req.method);
    // No browser attaches another site's API key by itself, and requests with a key or to a signed
    // URL ignore cookies.
    if (
      changes &&
      readBearer(c.req.raw.headers) === undefined &&
      !c.req.path.startsWith(uploadsPath) &&
      !isSameOrigin(
        { origin: c.req.header("origin"), fetchSite: c.req.header("sec-fetch-site") },
        line,
        deps.settings.publicUrl,
      )
    )
      throw new Problem("forbidden", { message: sentences.access.otherSite });
    await next();
    if (line.encrypted) c.res.headers.set("strict-transport-security", hsts);
  });
  const forPrograms = async (c: Context<Env>, next: Next): Promise<void> => {
    await next();
    c.res.headers.set("x-content-type-options", "nosniff");
    if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "no-store");
  };
  app.use("/api/fal/*", createAppOrigins(deps, falDoor(deps)));
  app.use("/v1/*", createRequestIds(deps));
  app.use("/v1/*", createAppOrigins(deps, programsDoor));
  app.use("/api/*", forPrograms);
  app.use("/v1/*", forPrograms);
  registerRoutes(
    app,
    deps,
    {
      ...sessionHandlers(deps),
      ...keyHandlers(deps),
      ...peopleHandlers(deps),
      ...projectHandlers(deps),
      ...projectDeletionHandlers(deps),
      ...connectionHandlers(deps),
      ...accessHandlers(deps),
      ...auditHandlers(deps),
      ...operationHandlers(deps),
      ...backupHandlers(deps),
      ...aliasHandlers(deps),
      ...folderHandlers(deps),
      ...feedbackHandlers(deps),
      ...wordListHandlers(deps),
      ...conversationHandlers(deps),
      ...runHandlers(deps),
      ...voiceHandlers(deps),
      ...assetHandlers(deps),
      ...searchHandlers(deps),
      ...tagHandlers(deps),
      ...collectionHandlers(deps),
      ...comparisonHandlers(deps),
      ...moneyHandlers(deps),
      ...billHandlers(deps),
      ...webhookHandlers(deps),
      ...webhookInHandlers(deps),
      ...openAiHandlers(deps),
      ...anthropicHandlers(deps),
      ...falHandlers(deps),
      ...docsHandlers(deps),
    },
    rates,
  );
  app.all("/api/*", () => {
    throw new Problem("not_found");
  });
  app.all("/v1/*", (c) => {
    throw notHere(c.req.path);
  });
  const folder = deps.commandLineFolder;
  if (folder !== undefined) {
    const answerCommandLine = createCommandLine({ ...deps, folder });
    for (const name of ["cli.mjs", "cli.tgz"] as const)
      app.get(`/${name}`, (c) => {
        rates.open.hit(networkOf(readClientConnection(c.env.incoming, deps.settings).address));
        return answerCommandLine(c, name);
      });
  }
  const answerPage = deps.webFolder ? createPages(deps.webFolder) : undefined;
  app.get(
    "*",
    async (c) => (await answerPage?.(c)) ?? answerError(deps, c, new Problem("not_found")),
  );
  app.notFound((c) => {
    const problem = versionMissing(c.req.path);
    return problem
      ? answerProgramError(c, problem, {})
      : answerError(deps, c, new Problem("not_found"));
  });
  return app;
}
