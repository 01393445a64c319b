import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { socketTokenSeconds } from "#domain/models/fal-apps.ts";
import { hasNeededScope } from "#domain/people/policy.ts";
import type { SocketReach } from "#engine/sessions/issue-token.ts";
import type { ServerDeps } from "../../deps.ts";
import { findTokenModels } from "./models.ts";
import type { FalAsking } from "./run.ts";

const scope = ["realtime:tokens"] as const;
/** A part of one of fal's IDs. */
const appName = /^[\w.-]+(\/[\w.-]+)*$/;

/**
 * POST rest.fal.ai/tokens/ and /tokens/realtime: a token with which fal's client opens a socket at
 * fal itself. The scope of a key is the consent to that, so a session without a key gets none.
 * @throws Problem forbidden, invalid_input, not_found, and what the engine throws
 */
export async function issueToken(
  deps: ServerDeps,
  { actor, projectId, c, connection }: FalAsking,
  opens: SocketReach,
  body: JsonObject,
): Promise<Response> {
  if (!actor.key || !hasNeededScope(actor, scope))
    throw new Problem("forbidden", { message: sentences.fal.tokenNeedsScope });
  deps.calls.begin(c.env.outgoing);
  const app = readApp(body);
  const seconds = readSeconds(body, opens === "app" ? "token_expiration" : "duration");
  const models = await findTokenModels(deps, {
    userId: actor.userId,
    projectId,
    connection,
    only: actor.key.models ?? null,
    app,
    opens,
  });
  const token = await deps.engine.issueToken(actor, { projectId, app, models, opens, seconds });
  return c.json(opens === "app" ? token : { token }, 201, { "cache-control": "no-store" });
}

function readApp({ allowed_apps: apps }: JsonObject): string {
  const [app, ...more] = Array.isArray(apps) ? apps : [];
  if (typeof app !== "string" || more.length > 0 || app.length > 200 || !appName.test(app))
    throw new Problem("invalid_input", {
      field: "allowed_apps",
      message: sentences.fal.tokenOneApp,
    });
  return app;
}

function readSeconds(body: JsonObject, field: "token_expiration" | "duration"): number {
  const given = body[field] ?? socketTokenSeconds;
  if (typeof given !== "number" || !Number.isInteger(given) || given < 1)
    throw new Problem("invalid_input", { field, message: sentences.fal.tokenLifetime });
  return Math.min(given, socketTokenSeconds);
}
