import { generateImage } from "ai";
import { toFile } from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset } from "#contract/entities.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { type Door, openDoor, openDoorToOpenAi } from "../../support/studio/openai-door.ts";
import { buildWav } from "../../support/wav.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const wav = buildWav({
  samples: Buffer.alloc(3_200),
  samplesPerSecond: 16_000,
  channels: 1,
  bits: 16,
});
const isPng = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes).subarray(1, 4).toString() === "PNG";

onSqlite((create) => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor(await create());
  });
  afterAll(() => door.studio.close());
  const assetsOf = async (runId: string): Promise<Asset[]> => door.studio.assetsOf(runId);

  it("pictures are made by any model, saved in the library with their recipe, and returned", async () => {
    const before = door.studio.openai.posts.length;
    const answer = await door.client.images.generate({
      model: door.names.image,
      prompt: "a quay",
      n: 2,
      size: "512x512",
    });
    expect(answer.data).toHaveLength(2);
    const requests = door.postsSince(before).length;
    expect(answer.usage).toEqual({
      input_tokens: 5 * requests,
      input_tokens_details: { image_tokens: 0, text_tokens: 5 * requests },
      output_tokens: 100 * requests,
      total_tokens: 105 * requests,
    });
    expect(isPng(Buffer.from(answer.data![0]!.b64_json!, "base64"))).toBe(true);
    expect(door.studio.openai.posts.at(-1)!.body).toMatchObject({
      prompt: "a quay",
      size: "512x512",
    });
    const { bottega } = answer as unknown as { bottega: { run_id: string }[] };
    const kept = (await Promise.all(bottega.map(({ run_id }) => assetsOf(run_id)))).flat();
    expect(kept.map(({ kind, promptText }) => [kind, promptText])).toEqual([
      ["image", "a quay"],
      ["image", "a quay"],
    ]);
  });

  it("a queue model makes pictures through the same API, with its own size names", async () => {
    const answer = await door.client.images.generate({
      model: door.names.fal,
      prompt: "a small quay",
      size: "256x128" as never,
    });
    expect(answer.data).toHaveLength(1);
    expect(door.studio.fal.ledger.posts.at(-1)).toMatchObject({
      input: { image_size: { width: 256, height: 128 } },
    });
  });

  it("a result address is signed: it opens without a session, for an hour, while its key and file exist", async () => {
    const key = await door.studio.instance.createKey(door.studio.person, { name: "Pictures" });
    const client = door.clientOf(key);
    const answer = await client.images.generate({
      model: door.names.image,
      prompt: "a quay",
      response_format: "url",
      n: 2,
    });
    const [url, other] = answer.data!.map((picture) => picture.url!) as [string, string];
    const opened = await fetch(url);
    expect(isPng(new Uint8Array(await opened.arrayBuffer()))).toBe(true);
    const statusOf = async (address: string | URL) => (await fetch(address)).status;
    const later = new URL(url);
    later.searchParams.set("until", String(Number(later.searchParams.get("until")) + 1));
    const [own, foreign] = [url, other].map((address) => new URL(address).pathname) as [
      string,
      string,
    ];
    expect([await statusOf(later), await statusOf(url.replace(own, foreign))]).toEqual([404, 404]);
    const [{ bottega }] = [answer as unknown as { bottega: { run_id: string }[] }];
    const assets = (await Promise.all(bottega.map(({ run_id }) => assetsOf(run_id)))).flat();
    const asset = assets.find(({ id }) => own.includes(id))!;
    const { projectId } = door.studio.person;
    for (const action of ["trash", "delete"])
      await door.studio.person.call("updateAssets", {
        body: { projectId, ids: [asset.id], action },
      });
    expect([await statusOf(url), await statusOf(other)]).toEqual([404, 200]);
    await door.studio.person.call("revokeKey", { params: { keyId: key.id } });
    expect(await statusOf(other)).toBe(404);
  });

  it("a picture streams as the official client's events, with previews if requested and supported", async () => {
    const { connectionId } = door.studio.models.fal;
    const streams = (streamModels: string) =>
      door.studio.instance.engine.changeConnection(connectionId, { values: { streamModels } });
    const eventsOf = async (fields: object) => {
      const stream = await door.client.images.generate({
        prompt: "a quay",
        model: door.names.image,
        ...fields,
        stream: true,
      });
      const events: { type: string; b64_json: string; [field: string]: unknown }[] = [];
      for await (const event of stream) events.push(event as unknown as (typeof events)[number]);
      return events;
    };
    const [only, ...more] = await eventsOf({ partial_images: 2, quality: "low" });
    expect([only, more]).toEqual([
      {
        type: "image_generation.completed",
        b64_json: expect.any(String),
        created_at: expect.any(Number),
        size: expect.stringMatching(/^\d+x\d+$/),
        quality: "low",
        background: "auto",
        output_format: "png",
        usage: expect.objectContaining({ output_tokens: expect.any(Number) }),
        bottega: expect.objectContaining({ run_id: expect.any(String) }),
      },
      [],
    ]);
    expect(isPng(Buffer.from(only!.b64_json, "base64"))).toBe(true);
    const pair = await eventsOf({ n: 2 });
    expect(pair.map(({ type }) => type)).toEqual([
      "image_generation.completed",
      "image_generation.completed",
    ]);
    await streams("sim/flux/dev");
    const shown = await eventsOf({ model: door.names.fal, size: "64x64", partial_images: 1 });
    expect(shown.map(({ type, partial_image_index }) => [type, partial_image_index])).toEqual([
      ["image_generation.partial_image", 0],
      ["image_generation.completed", undefined],
    ]);
    const silent = await eventsOf({ model: door.names.fal, size: "64x64" });
    expect(silent.map(({ type }) => type)).toEqual(["image_generation.completed"]);
    await streams("");
    const edited = await door.client.images.edit({
      model: door.names.image,
      image: await toFile(png, "quay.png", { type: "image/png" }),
      prompt: "at night",
      stream: true,
    });
    const edits: string[] = [];
    for await (const { type } of edited) edits.push(type);
    expect(edits).toEqual(["image_edit.completed"]);
    door.studio.openai.script({
      fault: { kind: "status", status: 400, body: { error: { message: "No such size." } } },
    });
    await expect(eventsOf({ size: "512x512" })).rejects.toMatchObject({ status: 400 });
  });

  it("a program that asks for no previews pays for none", async () => {
    const { own, simulator } = await openDoorToOpenAi(await create());
    const asked = { model: "pictures/gpt-image-2", prompt: "a quay" };
    await own.client.images.generate(asked);
    expect(simulator.posts.at(-1)!.body).not.toHaveProperty("partial_images");
    const stream = await own.client.images.generate({ ...asked, stream: true, partial_images: 2 });
    const types = (await Array.fromAsync(stream)).map(({ type }) => type);
    expect(types.at(-1)).toBe("image_generation.completed");
    expect(simulator.posts.at(-1)!.body).toMatchObject({ partial_images: 2 });
    const several = { ...asked, n: 2, stream: true, partial_images: 2 } as const;
    await Array.fromAsync(await own.client.images.generate(several));
    expect(simulator.posts.at(-1)!.body).not.toHaveProperty("partial_images");
  });

  it("a picture is edited with a mask, sent as a form", async () => {
    const [image, mask] = await Promise.all([
      toFile(png, "a.png", { type: "image/png" }),
      toFile(png, "mask.png", { type: "image/png" }),
    ]);
    const answer = await door.client.images.edit({
      model: door.names.image,
      image,
      mask,
      prompt: "with a boat",
    });
    expect(isPng(Buffer.from(answer.data![0]!.b64_json!, "base64"))).toBe(true);
    expect(door.studio.openai.posts.at(-1)).toMatchObject({
      path: "/images/edits",
      body: { prompt: "with a boat" },
    });
  });

  it("a picture is edited by JSON, its files by data URL or by their ID in the library", async () => {
    const data = `data:image/png;base64,${png.toString("base64")}`;
    const edit = (fields: object) =>
      door.post("/images/edits", { model: door.names.image, prompt: "with a boat", ...fields });
    const response = await edit({ images: [{ image_url: data }], mask: { image_url: data } });
    expect(response.status).toBe(200);
    const { data: made } = (await response.json()) as { data: { b64_json: string }[] };
    expect(isPng(Buffer.from(made[0]!.b64_json, "base64"))).toBe(true);
    const { path, body } = door.studio.openai.posts.at(-1)!;
    expect([path, body]).toMatchObject(["/images/edits", { prompt: "with a boat" }]);
    const run = (await door.listRuns())[0]!;
    const [file] = (run.input as { images: string[] }).images;
    expect((await edit({ images: [{ file_id: file }] })).status).toBe(200);
    expect((await edit({ images: [{ image_url: "", file_id: file }] })).status).toBe(200);
    for (const [fields, param, words] of [
      [{ images: [{ file_id: "file-1" }] }, "images.0", /asset:<id>/],
      [{ images: [{}] }, "images.0", /image_url/],
      [{ images: [] }, "images", /at least one picture/],
      [{ prompt: "x" }, "images", /./],
    ] as const) {
      const refused = await edit(fields);
      const { error } = (await refused.json()) as { error: object };
      expect([refused.status, error]).toMatchObject([
        400,
        { param, message: expect.stringMatching(words) },
      ]);
    }
  });

  it("a refused request saves none of its files", async () => {
    const countUploads = async () =>
      (await read.selectFrom("upload").select("id").execute()).length;
    const { read } = door.studio.instance.store;
    const before = await countUploads();
    const { person } = door.studio;
    const budget = { period: "total", timeZone: "UTC", limitMicros: 0, onLimit: "block" } as const;
    const poor = await door.studio.instance.createKey(person, { name: "Spent", budget });
    const { connectionId, modelId } = door.studio.models.ollama;
    const other = await door.studio.instance.createKey(person, {
      models: [{ connectionId, modelId }],
    });
    /** A picture of its own for each request, because a file is saved once. */
    let sent = 0;
    const picture = () => ({
      image_url: `data:image/png;base64,${Buffer.concat([png, Buffer.from([++sent])]).toString("base64")}`,
    });
    const pictures = (count: number) => ({ images: Array.from({ length: count }, picture) });
    const edit = { model: door.names.image, prompt: "with a boat" };
    for (const [fields, status, words, key] of [
      [{ ...edit, model: "no/model", ...pictures(1) }, 404, /no model/],
      [{ ...edit, model: door.names.chat, ...pictures(1) }, 400, /does not support this task/],
      [{ ...edit, ...pictures(17) }, 400, /at most 16 pictures/],
      [{ ...edit, ...pictures(1), control: "asset:a" }, 400, /control/],
      [{ ...edit, ...pictures(1) }, 404, /no model/, other],
      [{ ...edit, ...pictures(1) }, 402, /“Spent”’s .* has nothing left/, poor],
    ] as const) {
      const refused = await door.post("/images/edits", fields, {
        ...(key && { authorization: `Bearer ${key.token}` }),
      });
      const text = await refused.text();
      expect([refused.status, text]).toEqual([status, expect.stringMatching(words)]);
    }
    const asks: Record<string, (url: string) => object> = {
      "/chat/completions": (url) => ({
        messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
      }),
      "/responses": (url) => ({
        input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }],
      }),
      "/messages": (url) => {
        const [, data] = url.split(",");
        const source = { type: "base64", media_type: "image/png", data };
        return {
          max_tokens: 64,
          messages: [{ role: "user", content: [{ type: "image", source }] }],
        };
      },
    };
    for (const [path, ask] of Object.entries(asks))
      for (const [name, status, says, key] of [
        ["no/model", 404, /no model/],
        [door.names.image, 400, /does not support this task/],
        [door.names.vision, 404, /no model/, other],
        [door.names.vision, 402, /“Spent”’s .* has nothing left/, poor],
      ] as const) {
        const fields = { model: name, ...ask(picture().image_url) };
        const refused = await door.post(path, fields, {
          ...(key && { authorization: `Bearer ${key.token}` }),
        });
        const text = await refused.text();
        expect([path, refused.status, text]).toEqual([path, status, expect.stringMatching(says)]);
      }
    const form = new FormData();
    form.set("model", door.names.chat);
    form.set("file", new Blob([new Uint8Array(wav), new Uint8Array([1])]), "a.wav");
    const heard = await fetch(`${door.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${door.key.token}` },
      body: form,
    });
    expect(heard.status).toBe(400);
    expect(await countUploads()).toBe(before);
  });

  it("a setting that the model's form lacks is left out by name, and a file is refused", async () => {
    const ask = (fields: object) =>
      door.post("/images/generations", { model: door.names.image, prompt: "x", ...fields });
    const response = await ask({ brush: "wide" });
    expect([response.status, response.headers.get("x-bottega-dropped")]).toEqual([200, "brush"]);
    for (const value of ["https://example.org/a.png", ["asset:a"], { image_url: "data:," }]) {
      const refused = await ask({ control: value });
      expect([refused.status, await refused.json()]).toEqual([
        400,
        { error: expect.objectContaining({ param: "control" }) },
      ]);
    }
    const chat = await door.post("/images/generations", { model: door.names.chat, prompt: "x" });
    expect([chat.status, await chat.json()]).toEqual([
      400,
      { error: expect.objectContaining({ param: "model" }) },
    ]);
  });

  it("unsupported output settings are left out by name, so that one configuration fits every model", async () => {
    const picture = await door.post("/images/generations", {
      model: door.names.fal,
      prompt: "x",
      quality: "high",
      style: "vivid",
    });
    expect([picture.status, picture.headers.get("x-bottega-dropped")]).toEqual([
      200,
      "quality, style",
    ]);
    const { bottega } = (await picture.json()) as { bottega: { warnings: string[] }[] };
    expect(bottega[0]!.warnings.join()).toMatch(/quality.*style/s);
    const vector = await door.post("/embeddings", {
      model: door.names.embedding,
      input: "x",
      input_type: "search_query",
      truncate: "END",
    });
    expect([vector.status, vector.headers.get("x-bottega-dropped")]).toEqual([
      200,
      "input_type, truncate",
    ]);
    const form = new FormData();
    form.set("model", door.names.transcription);
    form.set("file", new Blob([new Uint8Array(wav)]), "a.wav");
    form.append("timestamp_granularities[]", "word");
    form.append("timestamp_granularities[]", "segment");
    const heard = await fetch(`${door.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${door.key.token}` },
      body: form,
    });
    expect([heard.status, heard.headers.get("x-bottega-dropped")]).toEqual([
      200,
      "timestamp_granularities",
    ]);
    const hear = () =>
      fetch(`${door.url}/v1/audio/transcriptions`, {
        method: "POST",
        headers: { authorization: `Bearer ${door.key.token}` },
        body: form,
      });
    form.append("constructor[]", "x");
    const odd = await hear();
    expect([odd.status, odd.headers.get("x-bottega-dropped")]).toEqual([
      200,
      "timestamp_granularities, constructor",
    ]);
    form.set("response_format", "diarized_json");
    const refused = await hear();
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { param: "response_format", message: expect.stringContaining("by speaker") } },
    ]);
  });

  it("the AI SDK draws unchanged", async () => {
    const { image } = await generateImage({
      model: door.ai.imageModel(door.names.image),
      prompt: "a quay",
      size: "64x64",
    });
    expect(isPng(image.uint8Array)).toBe(true);
  });

  it("an exhausted budget is reported in OpenAI's format, and nothing is sent", async () => {
    const budget = { period: "total", timeZone: "UTC", limitMicros: 1, onLimit: "block" } as const;
    const key = await door.studio.instance.createKey(door.studio.person, { name: "Poor", budget });
    const before = door.studio.fal.ledger.posts.length;
    const asked = door
      .clientOf(key)
      .images.generate({ model: door.names.fal, prompt: "a dear quay" });
    await expect(asked).rejects.toMatchObject({
      status: 402,
      code: "insufficient_quota",
      message: expect.stringContaining("“Poor”"),
    });
    expect(door.studio.fal.ledger.posts).toHaveLength(before);
  });
});
