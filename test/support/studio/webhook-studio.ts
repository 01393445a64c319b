import type { FalOptions } from "../../simulators/fal.ts";
import type { TestDatabase } from "../databases/databases.ts";
import { createStudio } from "./studio.ts";

export const publicUrl = "https://studio.example.org";

/**
 * A studio that its providers reach at its public address, as through a proxy with a certificate.
 */
export async function createWebhookStudio(
  database: TestDatabase,
  options: {
    endsWithTest?: boolean;
    fal?: FalOptions;
    instance?: NonNullable<Parameters<typeof createStudio>[1]>["instance"];
  } = {},
) {
  let address = "";
  const studio = await createStudio(database, {
    ...(options.endsWithTest && { endsWithTest: true }),
    fal: {
      pace: { by: "time", stepMs: 10 },
      ...options.fal,
      reach: (url) => url.replace(publicUrl, address),
    },
    instance: { publicUrl, ...options.instance },
  });
  address = await studio.instance.listen();
  return {
    ...studio,
    address: () => address,
    /** The webhook address of a run's last attempt, as sent to its provider. */
    webhookUrl: async (connectionId: string, runId: string): Promise<string> => {
      const token = (await studio.attempts(runId)).at(-1)?.clientToken ?? "";
      return `${publicUrl}/api/webhooks/${connectionId}/${runId}?token=${token}`;
    },
    /** The outcome of each webhook, oldest first. */
    outcomes: async (): Promise<string[]> => {
      const rows = await studio.instance.store.db
        .selectFrom("webhook_in")
        .select("outcome")
        .orderBy("received_at")
        .execute();
      return rows.map((row) => row.outcome);
    },
  };
}
export type WebhookStudio = Awaited<ReturnType<typeof createWebhookStudio>>;
