import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../../support/server/instance.ts";
import { runEnds, runOnServer } from "../../support/server/server-client.ts";
import { startTwoServers, type TwoServers } from "../../support/server/two-servers.ts";
import { publicUrl } from "../../support/studio/webhook-studio.ts";

let two: TwoServers;
beforeAll(async () => {
  two = await startTwoServers({ publicUrl, secondRole: "web" });
});
afterAll(() => two?.stop());

it("a job found by a web-only server is followed by a worker", async () => {
  const prompt = "found at the web server [sim:lost-reply][sim:webhook-hold]";
  const { id } = await two.draw(two.there, prompt);
  await runEnds(two.here, id);
  const [attempt] = await two.query<{ client_token: string }>(
    "select client_token from attempt where run_id = $1",
    [id],
  );
  const url = `${two.second.url}/api/webhooks/${two.flux.connectionId}/${id}?token=${attempt!.client_token}`;
  expect((await two.fal.deliver(prompt, { url })).map(({ status }) => status)).toEqual([200]);
  await until(
    "the run is made",
    async () => (await runOnServer(two.here, id)).run.state === "succeeded",
  );
  expect(two.fal.ledger.postsOf(prompt)).toBe(1);
});
