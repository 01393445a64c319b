import type { QueueStatus } from "@fal-ai/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { forEachDatabase } from "../support/databases.ts";
import { type FalDoor, falModel, openFalDoor, smallPicture } from "../support/fal-door.ts";

const isPng = (bytes: Uint8Array): boolean => Buffer.from(bytes).subarray(1, 4).toString() === "PNG";
type Pictures = { images: { url: string; content_type: string; width: number; height: number }[]; seed: number; prompt: string };
const pictureOf = (data: unknown): string => (data as Pictures).images[0]!.url;
const bytesAt = async (url: string): Promise<Uint8Array> => new Uint8Array(await (await fetch(url)).arrayBuffer());

forEachDatabase((_, create) => {
  let door: FalDoor;
  beforeAll(async () => {
    door = await openFalDoor(await create());
  });
  afterAll(() => door.studio.close());

  it("what fal's client subscribes to through the proxy is a run with its price, and answers in the model's own shape", async () => {
    const seen: string[] = [];
    const { data, requestId } = await door.fal.subscribe(falModel, {
      input: { prompt: "a harbour", ...smallPicture, seed: 7 },
      logs: true,
      onQueueUpdate: (update: QueueStatus) => void seen.push(update.status),
    });
    expect(data).toEqual({
      images: [
        {
          url: expect.stringMatching(`^${door.url}/api/fal/files/`),
          content_type: "image/png",
          file_name: "image-1.png",
          file_size: expect.any(Number),
          width: 64,
          height: 64,
        },
      ],
      timings: { inference: 0.5 },
      seed: 7,
      has_nsfw_concepts: [false],
      prompt: "a harbour",
    });
    expect(isPng(await bytesAt(pictureOf(data)))).toBe(true);
    expect(seen.at(-1)).toBe("COMPLETED");
    const run = await door.studio.runOf(requestId);
    expect(run).toMatchObject({ state: "succeeded", modelId: falModel, costMicros: 25_000, apiKeyId: door.key.id });
    expect((await door.studio.spentOf(run.id)).map(({ micros }) => micros)).toEqual([25_000]);
    expect([door.postsOf("a harbour"), door.billedOf("a harbour")]).toEqual([1, 1]);
  });
});
