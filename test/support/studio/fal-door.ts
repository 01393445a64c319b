import { createFalClient } from "@fal-ai/client";
import type { Run } from "#contract/entities.ts";
import type { TestDatabase } from "../databases/databases.ts";
import type { KeyCaller } from "../server/instance.ts";
import { createStudio } from "./studio.ts";

export const falModel = "sim/flux/dev";
/** Small enough that a simulator draws it immediately. */
export const smallPicture = { image_size: { width: 64, height: 64 } };

/**
 * A Bottega on a real port with a key, and fal's own published client, which sends through the
 * proxy as browsers do.
 */
export async function openFalDoor(
  database: TestDatabase,
  options: Parameters<typeof createStudio>[1] = {},
) {
  const studio = await createStudio(database, options);
  const url = await studio.instance.listen();
  const key = await studio.instance.createKey(studio.person);
  const proxyUrl = `${url}/api/fal/proxy`;
  const clientOf = ({ token }: Pick<KeyCaller, "token">, fetch?: typeof globalThis.fetch) =>
    createFalClient({
      proxyUrl: { url: proxyUrl, when: "always" },
      credentials: token,
      ...(fetch && { fetch }),
    });
  return {
    studio,
    url,
    proxyUrl,
    key,
    clientOf,
    fal: clientOf(key),
    /** One call like the client's, without its retries. */
    call: (target: string, init: RequestInit = {}, token = key.token) =>
      fetch(proxyUrl, {
        ...init,
        headers: {
          authorization: `Key ${token}`,
          "content-type": "application/json",
          "x-fal-target-url": target,
          ...init.headers,
        },
      }),
    runs: async (): Promise<Run[]> =>
      (
        await key.call<{ runs: Run[] }>("listRuns", {
          query: { projectId: studio.person.projectId },
        })
      ).body.runs,
    postsOf: (prompt: string): number => studio.fal.ledger.postsOf(prompt),
    billedOf: (prompt: string): number =>
      studio.fal.ledger.billed.filter((bill) => bill.prompt === prompt).length,
  };
}
export type FalDoor = Awaited<ReturnType<typeof openFalDoor>>;
