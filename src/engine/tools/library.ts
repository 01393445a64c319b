import type { Asset } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ToolDefinition } from "#providers/adapter.ts";
import { getAssetsIn, listAssets } from "#store/content/assets.ts";
import type { EngineDeps } from "../deps.ts";

/** The library to read: the assets of this project that this person may see. */
type LibraryScope = { projectId: string; userId: string };

type LibraryTool = {
  name: string;
  definition: ToolDefinition;
  /**
   * @returns the text for the model
   * @throws Error with a message for the model
   */
  use(
    deps: Pick<EngineDeps, "store" | "blobs">,
    scope: LibraryScope,
    input: JsonObject,
  ): Promise<string>;
};

const found = 20;

/** Free, read-only and repeatable tools, which therefore need no run. */
export const libraryTools: readonly LibraryTool[] = [
  {
    name: "search_library",
    definition: {
      name: "search_library",
      description:
        "Finds pictures, videos, recordings and documents of the person's library by the words of their titles and prompts, newest first.",
      inputSchema: {
        type: "object",
        properties: {
          query: { type: "string", description: "A few words; empty for the newest." },
        },
        required: ["query"],
      },
    },
    async use(deps, scope, input) {
      const q = typeof input.query === "string" ? input.query.slice(0, 200) : "";
      const { assets } = await listAssets(deps.store, {
        ...scope,
        ...(q.trim() && { q }),
        trash: false,
        limit: found,
      });
      return assets.length === 0 ? sentences.tools.nothingFound : assets.map(line).join("\n");
    },
  },
  {
    name: "read_file",
    definition: {
      name: "read_file",
      description: "Reads a text file of the library or of this conversation.",
      inputSchema: {
        type: "object",
        properties: {
          file: { type: "string", description: "asset:<id>" },
          from: {
            type: "integer",
            description: "The character to begin at; 0 unless given.",
            minimum: 0,
          },
        },
        required: ["file"],
      },
    },
    async use(deps, scope, input) {
      const id = String(input.file ?? "").replace(/^asset:/, "");
      const [asset] = await getAssetsIn(deps.store.read, scope.projectId, scope.userId, [id]);
      if (!asset) throw new Error("There is no such file in this project's library.");
      if (asset.kind !== "text") throw new Error(`${asset.title} is no text: ${asset.mime}.`);
      return readText(deps, asset, typeof input.from === "number" ? input.from : 0);
    },
  },
];

const line = ({ id, title, kind, promptText, width, height }: Asset): string =>
  [
    `asset:${id}`,
    kind,
    title,
    width && height ? `${width}x${height}` : "",
    promptText.replace(/\s+/g, " ").slice(0, 200),
  ]
    .filter(Boolean)
    .join(" | ");

/** A page of the text, with the position of the next. */
async function readText(
  { blobs }: Pick<EngineDeps, "blobs">,
  asset: Asset,
  from: number,
): Promise<string> {
  const decoder = new TextDecoder();
  const most = limits.toolOutputCharacters - 200;
  let text = "";
  let passed = 0;
  for await (const chunk of await blobs.get(asset.sha256)) {
    const piece = decoder.decode(chunk, { stream: true });
    text += piece.slice(Math.max(0, from - passed));
    passed += piece.length;
    if (text.length > most)
      return `${text.slice(0, most)}\n[There is more: read on from ${from + most}.]`;
  }
  return text === "" ? "[The end of the file.]" : text;
}
