import { sql } from "kysely";
import sharp from "sharp";
import { expect, it, onTestFinished } from "vitest";
import { openBlobStore } from "#blobs/open-storage.ts";
import type { Failpoints } from "#engine/failpoints.ts";
import {
  createTestDatabase,
  onSqlite,
  type TestDatabase,
} from "../../support/databases/databases.ts";
import { createInstance, until } from "../../support/server/instance.ts";
import { falModel, openFalDoor, smallPicture } from "../../support/studio/fal-door.ts";
import { testAdapters } from "../../support/studio/studio.ts";

const model = `${falModel}/image-to-image`;
const idOf = (answer: Response): string | null => answer.headers.get("x-fal-request-id");

/**
 * The endpoint for fal's client with a picture in each request, on a disk that saves nothing until
 * it is released.
 */
async function openDoor(database: TestDatabase) {
  const disk = openBlobStore(undefined, database.dataFolder, {});
  const word = Promise.withResolvers<void>();
  let begun = 0;
  const put: typeof disk.put = async (source, options) => {
    begun += 1;
    await word.promise;
    return disk.put(source, options);
  };
  const door = await openFalDoor(database, { instance: { blobs: { ...disk, put } } });
  onTestFinished(() => {
    word.resolve();
    return door.studio.close();
  });
  const picture = await sharp({
    create: { ...smallPicture.image_size, channels: 3, background: "teal" },
  })
    .png()
    .toBuffer();
  const send = (
    prompt: string,
    { url = door.url, signal }: { url?: string; signal?: AbortSignal } = {},
  ) =>
    fetch(`${url}/api/fal/proxy`, {
      method: "POST",
      headers: {
        authorization: `Key ${door.key.token}`,
        "content-type": "application/json",
        "x-fal-target-url": `https://queue.fal.run/${model}`,
      },
      body: JSON.stringify({
        prompt,
        image_url: `data:image/png;base64,${picture.toString("base64")}`,
      }),
      ...(signal && { signal }),
    });
  return {
    ...door,
    giveWord: word.resolve,
    send,
    /**
     * Sends a request whose client disconnects once a condition holds and the server has noticed
     * it.
     */
    async sendAndLeave(prompt: string, came: () => Promise<boolean>): Promise<void> {
      const left = new AbortController();
      const sent = send(prompt, { signal: left.signal }).catch(() => undefined);
      await until("it came there", came);
      left.abort();
      await sent;
      // The client's minimum wait before a retry (@fal-ai/client 1.10.1, retry.ts).
      await new Promise((resolve) => setTimeout(resolve, 375));
    },
    isKeeping: async () => begun > 0,
    runsOf: async (prompt: string): Promise<string[]> =>
      (await door.runs()).filter(({ input }) => input.prompt === prompt).map(({ id }) => id),
  };
}

onSqlite((create) => {
  it("no run starts for a request whose client left while its input was read", async () => {
    const { send, sendAndLeave, isKeeping, giveWord, runsOf, studio } = await openDoor(
      await create(),
    );
    await sendAndLeave("a leaver", isKeeping);
    giveWord();
    // Later requests are admitted later.
    await studio.ended(idOf(await send("a follower"))!);
    expect(await runsOf("a leaver")).toEqual([]);
  });
});

/** Two servers of one database in this process, and the endpoints of both. */
async function openTwoDoors() {
  const database = await createTestDatabase("postgres");
  const here = await openDoor(database);
  const secrets = here.studio.instance.engineDeps.secrets;
  const there = await createInstance(database, {
    adapters: testAdapters,
    secrets,
    endsWithTest: true,
  });
  return { ...here, there: await there.listen() };
}

it("no run starts at one server if the repeat has started one at the other", async () => {
  const { send, sendAndLeave, isKeeping, giveWord, runsOf, postsOf, studio, there } =
    await openTwoDoors();
  await sendAndLeave("a traveller", isKeeping);
  const id = idOf(await send("a traveller", { url: there }));
  giveWord();
  await studio.ended(idOf(await send("a follower"))!);
  await studio.ended(id!);
  expect([await runsOf("a traveller"), postsOf("a traveller")]).toEqual([[id], 1]);
});

it("a run whose client left while it was being written is found by a repeat at another server", async () => {
  const { send, sendAndLeave, giveWord, runsOf, postsOf, studio, there } = await openTwoDoors();
  giveWord();
  const { engineDeps, store } = studio.instance;
  const goesOn = Promise.withResolvers<void>();
  onTestFinished(() => goesOn.resolve());
  let isWriting = false;
  const failpoints: Failpoints = {
    has: () => false,
    at(name) {
      if (name !== "run.commit") return undefined;
      isWriting = true;
      return goesOn.promise;
    },
  };
  Object.assign(engineDeps, { failpoints });
  onTestFinished(() => void Object.assign(engineDeps, { failpoints: undefined }));
  await sendAndLeave("a late leaver", async () => isWriting);
  const again = send("a late leaver", { url: there });
  await until("it waits for the other server", async () => {
    const { rows } =
      await sql`select 1 from pg_locks where locktype = 'advisory' and not granted`.execute(
        store.db,
      );
    return rows.length > 0;
  });
  goesOn.resolve();
  const id = idOf(await again);
  await studio.ended(id!);
  expect([await runsOf("a late leaver"), postsOf("a late leaver")]).toEqual([[id], 1]);
});
