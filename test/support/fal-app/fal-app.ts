import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build, type Rollup } from "vite";

type Settings = { proxyUrl: string; credentials?: string };

/** Bundles an app with fal's own client into one script, like a developer's tools. */
async function bundleApp(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: { input: join(import.meta.dirname, "main.ts") },
    },
  });
  const { output } = (Array.isArray(built) ? built[0] : built) as Rollup.RollupOutput;
  return output[0].code;
}

/** A third-party app that uses fal's own client. */
export async function createFalApp() {
  const script = await bundleApp();
  const pageWith = (settings: Settings): string =>
    `<!doctype html><title>An app</title><script type="application/json" id="settings">${JSON.stringify(settings)}</script><script type="module">${script}</script>`;
  return {
    pageWith,
    /** Serves the app at a separate origin. */
    async serve(settingsOf: () => Settings) {
      const server = createServer((_request, response) =>
        response.setHeader("content-type", "text/html; charset=utf-8").end(pageWith(settingsOf())),
      );
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      return {
        origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        stop() {
          server.close();
          server.closeAllConnections();
        },
      };
    },
  };
}
