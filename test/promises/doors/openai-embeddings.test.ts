import { embed, embedMany } from "ai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { aliasConnectionId } from "#contract/aliases.ts";
import { makeEmbedding } from "../../simulators/openai-compatible/media.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { type Door, openDoor } from "../../support/studio/openai-door.ts";

onSqlite((create) => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor(await create());
  });
  afterAll(() => door.studio.close());

  it("texts become vectors in one run, as floats and in the official client's packed form", async () => {
    // The client requests base64 by itself, and decodes it.
    const packed = await door.client.embeddings.create({
      model: door.names.embedding,
      input: ["quay", "boat"],
    });
    expect(packed.data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
      [0, 8],
      [1, 8],
    ]);
    const plain = await door.client.embeddings.create({
      model: door.names.embedding,
      input: "quay",
      encoding_format: "float",
    });
    for (const [i, value] of plain.data[0]!.embedding.entries())
      expect(packed.data[0]!.embedding[i]).toBeCloseTo(value, 5);
    expect(packed.usage.total_tokens).toBe(3);
    expect((packed as unknown as { bottega: unknown[] }).bottega).toHaveLength(1);
  });

  /** The service's requests during `work`, by their number of inputs. */
  async function sentBy(work: () => Promise<unknown>): Promise<number[]> {
    const from = door.studio.openai.posts.length;
    await work();
    return door
      .postsSince(from)
      .map(({ body }) => (body as { input: unknown[] }).input.length)
      .sort((a, b) => a - b);
  }

  it("2,048 texts are one request to the program, few to the service, and a run for each of those", async () => {
    const texts = Array.from({ length: 2_048 }, (_, i) => `text ${i}`);
    let vectors: number[][] = [];
    const sent = await sentBy(async () => {
      const answer = await embedMany({
        model: door.ai.embeddingModel(door.names.embedding),
        values: texts,
      });
      vectors = answer.embeddings;
    });
    expect(sent).toEqual(Array.from({ length: 8 }, () => 256));
    for (const i of [0, 255, 256, 2_047])
      for (const [at, value] of makeEmbedding(texts[i]!, 8).entries())
        expect(vectors[i]![at]).toBeCloseTo(value, 5);
    const answer = await door.client.embeddings.create({
      model: door.names.embedding,
      input: texts.slice(0, 300),
    });
    expect(answer.data).toHaveLength(300);
    const { bottega } = answer as unknown as { bottega: { run_id: string }[] };
    expect(bottega).toHaveLength(2);
    const refused = await door.post("/embeddings", {
      model: door.names.embedding,
      input: [...texts, "one more"],
    });
    expect(refused.status).toBe(400);
  });

  it("token arrays go to services that accept them, and are refused in words by others", async () => {
    const tokens = [[9906, 1917], [15339]];
    const sent = await sentBy(async () => {
      const answer = await door.client.embeddings.create({
        model: door.names.embedding,
        input: tokens,
      });
      expect(answer.data.map(({ embedding }) => embedding.length)).toEqual([8, 8]);
      const one = await door.client.embeddings.create({
        model: door.names.embedding,
        input: tokens[0]!,
      });
      expect(one.data[0]!.embedding[0]).toBeCloseTo(makeEmbedding("9906,1917", 8)[0]!, 5);
    });
    expect(sent).toEqual([1, 2]);
    const refused = await door.post("/embeddings", {
      model: door.names.ollamaEmbedding,
      input: tokens,
    });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        error: expect.objectContaining({
          param: "input",
          message: expect.stringMatching(/not tokens/),
        }),
      },
    ]);
  });

  it("an alias embeds as many inputs at once as every model takes, and a key limited to it may use those models", async () => {
    const { instance, person, models } = door.studio;
    const behind = [
      { connectionId: models.ollama.connectionId, modelId: "nomic-embed-text:latest" },
      { connectionId: models.openai.connectionId, modelId: "sim-embedding" },
    ];
    const body = { name: "vectors", task: "embedding", models: behind };
    expect((await person.call("createAlias", { body })).status).toBe(200);
    const key = await instance.createKey(person, {
      models: [{ connectionId: aliasConnectionId, modelId: "vectors" }],
    });
    const client = door.clientOf(key);
    const texts = Array.from({ length: 300 }, (_, i) => `near ${i}`);
    const answer = await client.embeddings.create({ model: "vectors", input: texts });
    expect(answer.data).toHaveLength(300);
    expect((answer as unknown as { bottega: unknown[] }).bottega).toHaveLength(2);
    // Tokens skip the model that takes none.
    const sent = await sentBy(() =>
      client.embeddings.create({ model: "vectors", input: [[1, 2]] }),
    );
    expect(sent).toEqual([1]);
    const direct = client.embeddings.create({ model: door.names.embedding, input: "x" });
    await expect(direct).rejects.toMatchObject({ status: 404 });
  });

  it("a repeat with its key pays only for the failed parts", async () => {
    const texts = Array.from({ length: 300 }, (_, i) => `part ${i}`);
    const ask = () =>
      door.post(
        "/embeddings",
        { model: door.names.embedding, input: texts },
        { "idempotency-key": "parts" },
      );
    door.studio.openai.script({ fault: { kind: "status", status: 400 } });
    const [refused] = await sentAnd(ask);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: expect.objectContaining({ message: expect.stringMatching(/1 of 2 parts/) }) },
    ]);
    const [whole, sent] = await sentAnd(ask);
    const { data } = (await whole.json()) as { data: { index: number }[] };
    expect(data.map(({ index }) => index)).toEqual(texts.map((_, i) => i));
    expect(sent).toHaveLength(1);
    expect((await sentAnd(ask))[1]).toEqual([]);
  });

  it("clients don't repeat a request whose other parts would be paid again", async () => {
    const input = Array.from({ length: 300 }, (_, i) => `once ${i}`);
    const body = { error: { message: "Try later.", type: "server_error" } };
    door.studio.openai.script({ fault: { kind: "status", status: 500, body } });
    const failed = await door.post("/embeddings", { model: door.names.embedding, input });
    expect([failed.status, failed.headers.get("x-should-retry")]).toEqual([424, "false"]);
    await door.studio.forgetFailures();
  });
  async function sentAnd(work: () => Promise<Response>): Promise<[Response, number[]]> {
    let answer: Response | undefined;
    const sent = await sentBy(async () => {
      answer = await work();
    });
    return [answer!, sent];
  }

  it("the AI SDK embeds unchanged", async () => {
    const { embedding } = await embed({
      model: door.ai.embeddingModel(door.names.embedding),
      value: "quay",
    });
    expect(embedding).toHaveLength(8);
  });
});
