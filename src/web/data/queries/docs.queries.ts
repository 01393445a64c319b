import { queryOptions } from "@tanstack/react-query";
import { call } from "../client.ts";
import { keys } from "../keys.ts";

/** A JSON Schema as the document has it. */
export type Schema = { [word: string]: unknown };
export type Content = Record<string, { schema?: Schema }>;
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: {
    name: string;
    in: "path" | "query" | "header";
    required: boolean;
    schema: Schema;
  }[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content: Content }>;
};
export type Call = Operation & { method: string; path: string; area: string };
export type ApiDocument = { calls: Call[]; areas: string[]; schemas: Record<string, Schema> };

type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string }[];
  components: { schemas: Record<string, Schema> };
};

export const apiQuery = queryOptions({
  queryKey: keys.openapi(),
  async queryFn({ signal }): Promise<ApiDocument> {
    const { paths, tags, components } = (await call("getOpenApi", {
      signal,
    })) as unknown as OpenApi;
    const calls = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
        area: operation.tags[0] ?? "",
      })),
    );
    return { calls, areas: tags.map(({ name }) => name).sort(), schemas: components.schemas };
  },
  // Changes only with the server's version.
  staleTime: Number.POSITIVE_INFINITY,
});
