import { afterAll, beforeAll, expect, it } from "vitest";
import { makeEmbedding } from "../../simulators/openai-compatible/media.ts";
import { onSqlite } from "../databases/databases.ts";
import { type Asked, type Library, loadFrom } from "../services/libraries.ts";
import { type Door, openDoor } from "../studio/openai-door.ts";

/**
 * Tests that libraries for agents, as published, work over /v1.
 * @param folderOf the folder where a library is installed
 */
export const libraryContract = (
  libraries: readonly Library[],
  folderOf: (library: Library) => string,
): void =>
  onSqlite((create) => {
    let door: Door;
    beforeAll(async () => {
      door = await openDoor(await create());
    });
    afterAll(() => door.studio.close());

    const askedOf = (library: Library, model: string): Asked => ({
      url: door.url,
      key: door.key.token,
      model,
      load: loadFrom(folderOf(library)),
    });

    it.each(libraries)("$name calls a tool and continues with its result", async (library) => {
      const { inputs, sends, says, ask } = library;
      const asked: string[] = [];
      const from = door.studio.openai.posts.length;
      for (const input of inputs)
        door.studio.openai.script({ toolCalls: [{ name: "weather", input }], text: [] });
      const answer = await ask({
        ...askedOf(library, door.names.chat),
        lookUp({ place }) {
          asked.push(place);
          return `sunny in ${place}`;
        },
      });
      expect(asked).toEqual(["Genoa"]);
      expect(answer).toContain(says);
      const posts = door.postsSince(from);
      expect(posts).toHaveLength(2);
      expect(JSON.stringify(posts.at(-1)!.body)).toContain(sends);
    });

    it.each(libraries)("$name reads a streamed answer", async (library) => {
      const from = door.studio.openai.posts.length;
      const text = ['{"pla', 'ce": "Gen', 'oa"}'];
      door.studio.openai.script({ text });
      const answer = await library.stream(askedOf(library, door.names.chat));
      expect(JSON.parse(answer)).toEqual({ place: "Genoa" });
      expect(door.postsSince(from)).toHaveLength(1);
    });

    it.each(libraries)("$name gets an answer in the requested form", async (library) => {
      const from = door.studio.openai.posts.length;
      door.studio.openai.script({ text: ['{"place":', '"Genoa"}'] });
      const found = await library.structure(askedOf(library, door.names.chat));
      expect(found).toEqual({ place: "Genoa" });
      const [post] = door.postsSince(from);
      const type = library.asksForm ?? "json_schema";
      expect(post!.body).toMatchObject({ response_format: { type } });
    });

    it.each(libraries.filter(({ embed }) => embed))(
      "$name embeds 600 texts in few requests",
      async (library) => {
        const from = door.studio.openai.posts.length;
        const texts = Array.from({ length: 600 }, (_, i) => `text ${i}`);
        const vectors = await library.embed!(askedOf(library, door.names.embedding), texts);
        expect(vectors).toHaveLength(600);
        for (const [at, value] of makeEmbedding(texts[599]!, 8).entries())
          expect(vectors[599]![at]).toBeCloseTo(value, 5);
        expect(door.postsSince(from).length).toBeLessThanOrEqual(4);
      },
    );
  });
