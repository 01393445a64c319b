import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { Asset, Run } from "#contract/entities.ts";
import { saveUpload } from "#engine/ingest/upload.ts";
import { insertMember } from "#store/people/projects.ts";
import { onSqlite } from "../support/databases/databases.ts";
import type { Caller } from "../support/server/instance.ts";
import { createStudio, type Studio } from "../support/studio/studio.ts";

/**
 * More than the sockets and streams hold between a server and a reader that has stopped reading.
 */
const fileBytes = 48 * 1024 ** 2;

onSqlite((create) => {
  let studio: Studio;
  let url: string;
  let asset: Asset;
  beforeAll(async () => {
    studio = await createStudio(await create());
    url = await studio.instance.listen();
    const { projectId, user } = studio.person;
    const source = [randomBytes(fileBytes)];
    asset = await saveUpload(studio.instance.engineDeps, {
      projectId,
      userId: user.id,
      name: "noise.bin",
      source: toStream(source),
    });
  });
  afterAll(() => studio.close());

  async function* toStream(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  let count = 0;
  async function addManager(): Promise<Caller> {
    const eve = await studio.instance.createPerson(`eve-${count++}@example.org`);
    const { projectId } = studio.person;
    await studio.instance.commit(({ tx }) =>
      insertMember(tx, { projectId, userId: eve.user.id, role: "manager", at: 0 }),
    );
    return eve;
  }
  const change = {
    "is removed from the project": async (eve: Caller) => {
      const params = { projectId: studio.person.projectId, userId: eve.user.id };
      expect((await studio.person.call("removeMember", { params })).status).toBe(200);
    },
    "is suspended": async (eve: Caller) => {
      const asked = { params: { userId: eve.user.id }, body: { status: "suspended" } };
      expect((await studio.person.call("updatePerson", asked)).status).toBe(200);
    },
  };

  for (const [what, happens] of Object.entries(change))
    it(`a download of a project, of files or of one file ends when its requester ${what}`, async () => {
      const { projectId } = studio.person;
      for (const path of [
        `/api/v1/projects/${projectId}/export`,
        `/api/v1/assets/archive?projectId=${projectId}&ids=${asset.id}`,
        `/api/v1/assets/${asset.id}/file`,
      ]) {
        const eve = await addManager();
        const answer = await fetch(`${url}${path}`, { headers: { cookie: eve.cookie } });
        expect(answer.status).toBe(200);
        const reader = answer.body!.getReader();
        await reader.read();
        await happens(eve);
        // Requested and answered after the change was announced.
        expect((await eve.call("getProject", { params: { projectId } })).status).not.toBe(200);
        const rest = async () => {
          for (let read = await reader.read(); !read.done; ) read = await reader.read();
        };
        await expect(rest()).rejects.toThrow();
      }
    });

  /** A run without further events, its event stream, and a key's socket. */
  async function openWith(prompt: string, facts: { expiresAt?: number }) {
    const { instance, person, fal, models } = studio;
    const key = await instance.createKey(person, facts);
    fal.script(prompt, "hold-queue");
    const input = { prompt, image_size: { width: 64, height: 64 } };
    const body = { projectId: person.projectId, models: [models.fal], task: "image", input };
    const { runs } = (await key.call<{ runs: Run[] }>("createRuns", { body })).body;
    const authorization = `Bearer ${key.token}`;
    const stream = await fetch(`${url}/api/v1/runs/${runs[0]!.id}/events`, {
      headers: { authorization },
    });
    expect(stream.status).toBe(200);
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/live`, {
      headers: { authorization },
    });
    await once(socket, "open");
    return {
      key,
      ended: Promise.all([once(socket, "close").then(([code]) => code as number), stream.text()]),
    };
  }

  it("a key's streams end at its expiry, even while nothing happens", async () => {
    const { ended } = await openWith("held until the key expires", {
      expiresAt: Date.now() + 3_000,
    });
    expect((await ended)[0]).toBe(4001);
    studio.fal.release("held until the key expires");
  });

  it("a key's streams end when it loses the scope that they need", async () => {
    const { key, ended } = await openWith("held until the scope is gone", {});
    const asked = { params: { keyId: key.id }, body: { scopes: ["models:read"] } };
    expect((await studio.person.call("updateKey", asked)).status).toBe(200);
    expect((await ended)[0]).toBe(4001);
    studio.fal.release("held until the scope is gone");
  });
});
