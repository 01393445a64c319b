import type { anthropicRoutes } from "#contract/routes/doors/anthropic.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import type { ServerDeps } from "../deps.ts";
import { countMessageTokens } from "../doors/anthropic/count.ts";
import { createMessage } from "../doors/anthropic/messages.ts";
import { toAsking } from "../doors/programs/follow.ts";
import type { Handlers } from "../gate.ts";

/** Anthropic's API. The gate has checked the key, its scope and its project. */
export const anthropicHandlers = (deps: ServerDeps): Handlers<keyof typeof anthropicRoutes> => ({
  createMessage: (call) =>
    createMessage(deps, toAsking(call, scopesOfRoutes.createMessage), call.body),
  countMessageTokens: async (call) =>
    call.c.json(
      await countMessageTokens(deps, toAsking(call, scopesOfRoutes.createMessage), call.body),
    ),
});
