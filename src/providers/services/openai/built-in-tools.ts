import type { LanguageModelV4ProviderTool } from "@ai-sdk/provider";
import { allowedTools, type ProviderTool } from "#contract/filters/provider-tools.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ProducedFile, RunContext, RunRequest } from "../../adapter.ts";
import { bytesOf, type ReadTool } from "../../ai-sdk/language.ts";
import { isId } from "../../ai-sdk/left-at-provider.ts";
import { programPart } from "../../ai-sdk/ran-code.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { endpoint } from "../openai-compatible/access.ts";
import type { FileSearch } from "./file-search.ts";

/**
 * Tools that run at OpenAI (https://platform.openai.com/docs/guides/tools). A picture's parameters
 * determine its price (snapshot.ts).
 */
const offered: Readonly<Record<Exclude<ProviderTool, "fileSearch">, LanguageModelV4ProviderTool>> =
  {
    webSearch: { type: "provider", id: "openai.web_search", name: "web_search", args: {} },
    codeInterpreter: {
      type: "provider",
      id: "openai.code_interpreter",
      name: "code_interpreter",
      args: {},
    },
    imageTool: {
      type: "provider",
      id: "openai.image_generation",
      name: "image_generation",
      args: {
        // Each input picture costs more than an output picture, so nothing would bound the cost of
        // an edit.
        action: "generate",
        model: "gpt-image-1.5",
        quality: "medium",
        size: "1024x1024",
        outputFormat: "png",
        partialImages: 1,
      },
    },
  };

/** Tools for background answers; the results of other tools would be lost there. */
const inBackground: readonly ProviderTool[] = ["webSearch"];

/** Selects the tools of a request, and warns of those that can't be used. */
export function openTools(
  { input }: Pick<RunRequest, "input">,
  context: Pick<RunContext, "warn">,
  { search, isBackground }: { search: FileSearch | undefined; isBackground: boolean },
): LanguageModelV4ProviderTool[] {
  return allowedTools(input).flatMap((name) => {
    if (!isBackground || inBackground.includes(name))
      return (name === "fileSearch" ? search?.tool : offered[name]) ?? [];
    context.warn({
      type: "unsupported",
      feature: name,
      message: sentences.settings.notInBackground,
    });
    return [];
  });
}

/**
 * A container expires after this much idle time
 * (https://platform.openai.com/docs/guides/tools-code-interpreter, "Containers").
 */
const containerMs = 20 * 60_000;

/** Reads the tools of one answer, and counts a use per search, container and picture. */
export function createToolReader(context: RunContext, search: FileSearch | undefined): ReadTool {
  const containers = new Set<string>();
  const files = new Set<string>();
  let pictures = 0;

  function fileOf(title: string, metadata: unknown): ProducedFile | undefined {
    const { type, containerId, fileId } = metadataOf(metadata);
    if (type !== "container_file_citation") return undefined;
    if (!isId(containerId) || !isId(fileId)) return undefined;
    const path = `/containers/${containerId}/files/${fileId}/content`;
    return {
      name: title,
      url: endpoint(context, path),
      needsKey: true,
      expiresAt: context.clock.now() + containerMs,
    };
  }

  return (part) => {
    if (part.type === "source") {
      const { type, fileId } = metadataOf(part.providerMetadata?.openai);
      // Found documents are sources only if the answer cites them.
      if (type === "file_search") return {};
      if (type === "file_citation" && search) return { parts: search.cited(fileId) };
      const file = fileOf(part.title ?? "file", part.providerMetadata?.openai);
      if (!file || !("url" in file)) return undefined;
      if (files.has(file.url)) return {};
      files.add(file.url);
      return { parts: [{ type: "file", output: file }] };
    }
    switch (part.toolName) {
      case "web_search":
        return part.type === "tool-call" ? { used: "web searches" } : undefined;
      case "file_search":
        return part.type === "tool-call"
          ? { used: "file searches" }
          : { parts: search?.found(part.result) ?? [] };
      case "code_interpreter": {
        if (part.type !== "tool-call") return undefined;
        const { code, containerId } = readCall(part.input);
        const isNew = !containers.has(containerId);
        containers.add(containerId);
        return {
          ...(isNew && { used: "code sessions" }),
          parts: programPart(code, "python"),
        };
      }
      case "image_generation": {
        if (part.type === "tool-call") return { used: "tool pictures" };
        const { result } = isRecord(part.result) ? part.result : {};
        if (typeof result !== "string" || result === "") return undefined;
        const [mime, bytes] = ["image/png", bytesOf(result)];
        return {
          parts: part.preliminary
            ? [{ type: "preview", mime, bytes }]
            : [{ type: "file", output: { name: `tool-picture-${++pictures}`, mime, bytes } }],
        };
      }
      default:
        return undefined;
    }
  };
}

const metadataOf = (metadata: unknown): Record<string, unknown> =>
  isRecord(metadata) ? metadata : {};

function readCall(input: string): { code: string; containerId: string } {
  try {
    const { code, containerId } = JSON.parse(input) as Record<string, unknown>;
    return { code: String(code ?? ""), containerId: String(containerId ?? "") };
  } catch {
    return { code: "", containerId: "" };
  }
}
