import type { docsRoutes } from "#contract/routes/docs.ts";
import type { ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";
import { createOpenApi } from "../openapi.ts";

export function docsHandlers(
  deps: Pick<ServerDeps, "version" | "settings">,
): Handlers<keyof typeof docsRoutes> {
  // Generated on the first request.
  let document: ReturnType<typeof createOpenApi> | undefined;
  return {
    async getOpenApi() {
      document ??= createOpenApi(deps.version, deps.settings.publicUrl ?? "/");
      return document;
    },
  };
}
