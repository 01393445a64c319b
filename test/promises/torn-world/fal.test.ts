import type { JsonObject } from "#contract/json.ts";
import { fal } from "#providers/services/fal/adapter.ts";
import { startFal } from "../../simulators/fal.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";
import { survivesItsWebhooks } from "../../support/torn-world/webhooks.ts";

const way = (name: string, goes: TornWay["goes"], options: JsonObject): TornWay => ({
  name,
  adapter: fal,
  goes,
  async start(now, reach) {
    const simulator = await startFal({
      pace: { by: "time", stepMs: 5 },
      now,
      ...(reach && { reach }),
    });
    return {
      simulator: { posts: simulator.ledger.posts, stop: simulator.stop },
      connection: { kind: "fal", addresses: simulator.addresses, options, secret: simulator.key },
      // What it takes it makes, and bills for.
      ledger: () =>
        simulator.ledger.posts.map(({ outcome }) => ({
          isTaken: outcome === "accepted",
          isBilled: outcome === "accepted",
        })),
      tell: async (wish) => (await simulator.deliver("a fox", wish)).map(({ status }) => status),
    };
  },
  request: toMedia("image", "sim/flux/dev", {
    prompt: "a fox [sim:webhook-hold]",
    image_size: { width: 64, height: 64 },
  }),
  ownError: (status, message) => ({
    body: { detail: message, ...(status >= 500 && { error_type: "internal_error" }) },
  }),
  // Of a file that is not to be signed fal says that it is no file of its own.
  isResult: ({ path }) => /\/requests\/[\w-]+$|\/files\/sign\b/.test(path),
  isPaid: ({ method, path }) => method === "POST" && /^\/(queue|run)\//.test(path),
});

const queue = way("a job of the queue", "job", { runs: "queue" });
survivesTheTornWorld([
  queue,
  { ...way("a direct run", "file", { runs: "direct" }), namesInHead: true },
  way("a streamed run", "file", { streamModels: "sim/flux/dev" }),
]);
survivesItsWebhooks(queue);
