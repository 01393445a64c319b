import sharp from "sharp";
import { expect, it, onTestFinished } from "vitest";
import type { BlobStore } from "#blobs/blob-store.ts";
import { openBlobStore } from "#blobs/open-storage.ts";
import { onSqlite, type TestDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import { falModel, openFalDoor, smallPicture } from "../../support/studio/fal-door.ts";

/** The minimum wait of fal's client before a retry (@fal-ai/client 1.10.1, retry.ts). */
const clientWaitMs = 375;
const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const model = `${falModel}/image-to-image`;
const targets = { submit: `https://queue.fal.run/${model}`, run: `https://fal.run/${model}` };
const idOf = (answer: Response): string | null => answer.headers.get("x-fal-request-id");

/** A disk that saves nothing until it is released. */
function slowDisk(disk: BlobStore) {
  const word = Promise.withResolvers<void>();
  let begun = 0;
  const put: BlobStore["put"] = async (source, options) => {
    begun += 1;
    await word.promise;
    return disk.put(source, options);
  };
  return { blobs: { ...disk, put }, giveWord: word.resolve, begun: () => begun };
}

/**
 * The endpoint for fal's client on such a disk, with a picture in each request that is saved before
 * its run is admitted.
 */
async function openSlowDoor(database: TestDatabase, failpoints?: string) {
  const { blobs, giveWord, begun } = slowDisk(openBlobStore(undefined, database.dataFolder, {}));
  const door = await openFalDoor(database, {
    instance: { blobs, ...(failpoints && { failpoints }) },
  });
  onTestFinished(() => {
    giveWord();
    return door.studio.close();
  });
  const picture = await sharp({
    create: { ...smallPicture.image_size, channels: 3, background: "teal" },
  })
    .png()
    .toBuffer();
  const body = (prompt: string) =>
    JSON.stringify({ prompt, image_url: `data:image/png;base64,${picture.toString("base64")}` });
  const send = (prompt: string, to: keyof typeof targets = "submit", init: RequestInit = {}) =>
    door.call(targets[to], { method: "POST", body: body(prompt), ...init });
  return {
    ...door,
    giveWord,
    send,
    arrived: (requests: number) =>
      until(`${requests} requests are being admitted`, async () => begun() >= requests),
    /** Sends requests whose clients disconnect while their file is being saved. */
    async sendAndLeave(prompt: string, to: keyof typeof targets, times = 1): Promise<void> {
      const left = new AbortController();
      const sent = Array.from({ length: times }, () =>
        send(prompt, to, { signal: left.signal }).catch(() => undefined),
      );
      await until("they are being admitted", async () => begun() === times);
      left.abort();
      await Promise.all(sent);
      await pass(clientWaitMs);
    },
    runsOf: async (prompt: string): Promise<string[]> =>
      (await door.runs()).filter(({ input }) => input.prompt === prompt).map(({ id }) => id),
  };
}

onSqlite((create) => {
  for (const to of ["submit", "run"] as const)
    it(`a ${to} whose client left during admission is found by the client's repeat`, async () => {
      const { send, sendAndLeave, giveWord, runsOf, studio, postsOf } = await openSlowDoor(
        await create(),
      );
      await sendAndLeave("an early leaver", to);
      const again = send("an early leaver", to);
      // Enough time to start another run.
      await pass(clientWaitMs);
      giveWord();
      const id = idOf(await again);
      expect(await runsOf("an early leaver")).toEqual([id]);
      await studio.ended(id!);
      expect(postsOf("an early leaver")).toBe(1);
    });

  it("two requests whose clients left during admission are each found by a repeat, and a third is new", async () => {
    const { send, sendAndLeave, arrived, giveWord, runsOf, studio } = await openSlowDoor(
      await create(),
    );
    await sendAndLeave("early twins", "submit", 2);
    const again = [1, 2, 3].map(() => send("early twins"));
    await arrived(3);
    giveWord();
    const ids = await Promise.all(again.map(async (one) => idOf(await one)));
    expect(new Set(ids).size).toBe(3);
    expect((await runsOf("early twins")).sort()).toEqual(ids.sort());
    await Promise.all(ids.map((id) => studio.ended(id!)));
  });

  it("equal requests with waiting clients stay separate, even if one is durable and unanswered", async () => {
    const { send, giveWord, runsOf, studio } = await openSlowDoor(
      await create(),
      "run.admitted@patient=delay:700",
    );
    giveWord();
    const first = send("patient twins");
    await until("the first is durable", async () => (await runsOf("patient twins")).length === 1);
    const ids = [idOf(await send("patient twins")), idOf(await first)];
    expect(new Set(ids).size).toBe(2);
    expect((await runsOf("patient twins")).sort()).toEqual(ids.sort());
    await Promise.all(ids.map((id) => studio.ended(id!)));
  });

  it("a request that failed during admission fails its repeat too, and nothing later", async () => {
    const { send, sendAndLeave, giveWord, runsOf, studio } = await openSlowDoor(
      await create(),
      "run.commit@unlucky#1=throw",
    );
    await sendAndLeave("an unlucky leaver", "submit");
    const again = send("an unlucky leaver");
    await pass(clientWaitMs);
    giveWord();
    expect((await again).status).toBe(500);
    const later = idOf(await send("an unlucky leaver"));
    expect(await runsOf("an unlucky leaver")).toEqual([later]);
    await studio.ended(later!);
  });

  it("one caller's key makes one run, even while the first request's file is being saved", async () => {
    const { send, arrived, giveWord, runsOf, studio } = await openSlowDoor(await create());
    const ask = () =>
      send("a named request", "submit", { headers: { "idempotency-key": "order 18" } });
    const both = [ask(), ask()];
    await arrived(1);
    await pass(clientWaitMs);
    giveWord();
    const answers = await Promise.all(both);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await runsOf("a named request")).toEqual([...new Set(answers.map(idOf))]);
    await studio.ended(idOf(answers[0]!)!);
  });
});
