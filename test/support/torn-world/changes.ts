import { generateKeyPairSync } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "#contract/json.ts";
import { delayed } from "./faults.ts";
import type { PlanOf } from "./plans.ts";
import type { StartedWay, TornWay } from "./way.ts";
import { isOver, type Scene } from "./world.ts";

type Connection = StartedWay["connection"];
/**
 * @returns the changed connection as an admin would save it, and the cleanup after the change is
 *   undone
 */
type Change = {
  name: string;
  make({ connection, way, world }: Scene): Promise<{ changed: Connection; stop?(): Promise<void> }>;
};

/** Changes to a connection while its job is active, undone after a poll has failed. */
export function changesOf(way: TornWay): PlanOf[] {
  const options = (way.elsewhere ?? []).map((other) => optionsOf(other));
  return [anotherKey, anotherAccount, nobodyThere, ...options].map(planOf);
}

const anotherKey: Change = {
  name: "a key that the provider does not know",
  make: async ({ connection }) => ({
    changed: { ...connection, secret: spoiled(connection.secret) },
  }),
};

const anotherAccount: Change = {
  name: "an address where nobody knows the job",
  async make({ connection, way, world }) {
    const { simulator, connection: other } = await way.start(world.now);
    return {
      changed: { ...connection, addresses: other.addresses, options: other.options },
      stop: () => simulator.stop(),
    };
  },
};

const nobodyThere: Change = {
  name: "an address where nobody listens",
  async make({ connection, way, world }) {
    const { simulator, connection: other } = await way.start(world.now);
    await simulator.stop();
    return { changed: { ...connection, addresses: other.addresses } };
  },
};

const optionsOf = (other: JsonObject): Change => ({
  name: JSON.stringify(other),
  make: async ({ connection }) => ({
    changed: { ...connection, options: { ...connection.options, ...other } },
  }),
});

function planOf({ name, make }: Change): PlanOf {
  const answer = delayed();
  let during = "";
  return {
    name,
    // The job is accepted, and its id arrives after the change, so the first poll finds it.
    faultOf: (kind, number) => (kind === "paid" && number === 0 ? answer : undefined),
    async meanwhile(scene) {
      await untilTaken(scene);
      const { changed, stop } = await make(scene);
      await scene.world.reconnect(scene.connectionId, changed);
      answer.release();
      during = await scene.world.untilAsked(scene.runId);
      await scene.world.reconnect(scene.connectionId, scene.connection);
      await stop?.();
    },
    expects: ({ run }) => [
      // Addresses in the provider's answers still lead to the original place.
      ...(isOver(during) && during !== "succeeded"
        ? [`the change made it ${during} (${run.error?.message})`]
        : []),
      ...(run.state === "succeeded"
        ? []
        : [`it is ${run.state} (${run.error?.code}: ${run.error?.message})`]),
    ],
  };
}

export async function untilTaken({ proxies }: Scene): Promise<void> {
  while (!proxies.some(({ paidAnswer }) => paidAnswer !== null)) await sleep(20);
}

/** Another person's secret of the same form. A server without a secret gets one. */
function spoiled(secret: string | null): string {
  if (!secret?.startsWith("{")) return `${secret ?? "sim-key"}-of-nobody`;
  const parts = JSON.parse(secret) as Record<string, string>;
  if (parts.serviceAccount === undefined)
    return JSON.stringify({ ...parts, secretAccessKey: "secret/of+nobody" });
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const privatePem = privateKey.export({ type: "pkcs8", format: "pem" });
  return JSON.stringify({
    ...parts,
    serviceAccount: JSON.stringify({
      ...JSON.parse(parts.serviceAccount),
      private_key: privatePem,
    }),
  });
}
