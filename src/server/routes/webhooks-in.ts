import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { webhookInRoutes } from "#contract/routes/webhooks-in.ts";
import type { ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";

const isId = (value: string): boolean => /^[0-9a-f-]{36}$/.test(value);

export function webhookInHandlers({
  engine,
  log,
}: Pick<ServerDeps, "engine" | "log">): Handlers<keyof typeof webhookInRoutes> {
  return {
    /**
     * Gives one of two responses: accepted, or not found. Without a valid signature, a run's URL
     * looks like any other.
     */
    async receiveWebhook({ params, query, c }) {
      const body =
        isId(params.connectionId) && isId(params.runId) ? await readBytes(c.req.raw) : null;
      const call = body && { headers: c.req.raw.headers, body };
      const isTaken =
        call !== null &&
        (await engine
          .receiveWebhook({ ...params, ...query }, call)
          .catch((error) => refuseForNow(log, params, error)));
      if (!isTaken) throw new Problem("not_found");
      return c.json({});
    },
  };
}

/** Providers repeat a webhook that isn't accepted. */
function refuseForNow(
  log: ServerDeps["log"],
  params: { connectionId: string; runId: string },
  error: unknown,
): never {
  log.warn({ ...params, error: String(error) }, "a webhook could not be taken now");
  throw new Problem("unavailable");
}

/** Returns the raw body, which is the part that is signed; null when it is too long. */
async function readBytes(request: Request): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > limits.webhookBodyBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
