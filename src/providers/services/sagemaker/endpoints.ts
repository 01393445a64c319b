import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { type CallContext, type ModelFacts, ProviderError } from "../../adapter.ts";
import { signIn } from "../../aws/signed-fetch.ts";
import { unpaid } from "../../outbound/outbound.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { chatForm, inOrder } from "../../wire/forms.ts";
import { readJson, readOptions } from "../../wire/http-errors.ts";
import { isNotThis, throwUnlessOk } from "./errors.ts";
import { templates } from "./kind.ts";

/**
 * The protocol of an endpoint. No API reports it, so a person states it. The first is the default.
 */
export type Template = (typeof templates)[number];
export type Endpoint = { template: Template; isAsync: boolean };

const maxPages = 20;

/**
 * Parses "my-llm: messages, my-painter: images async" to endpoints by name.
 * @throws ProviderError `provider_invalid_input` naming the part that isn't understood
 */
function readEndpoints(options: JsonObject): Map<string, Endpoint> {
  const written = typeof options.endpoints === "string" ? options.endpoints : "";
  const lines = written
    .split(/[,\n]/)
    .map((line) => line.trim())
    .filter(Boolean);
  return new Map(
    lines.map((line) => {
      const match =
        /^([a-zA-Z0-9](?:-?[a-zA-Z0-9]){0,62})\s*:\s*(messages|tgi|images|json)(\s+async)?$/.exec(
          line,
        );
      if (!match) throw notUnderstood(sentences.cloud.endpointForm({ line }));
      const [, name = "", speaks, async] = match;
      const template = speaks as Template;
      const isAsync = async !== undefined;
      if (isAsync && (template === "messages" || template === "tgi"))
        throw notUnderstood(sentences.cloud.asyncNoChat({ endpoint: name }));
      return [name, { template, isAsync }];
    }),
  );
}

const notUnderstood = (message: string) =>
  new ProviderError("provider_invalid_input", "no", { field: "endpoints", message });

export function endpointOf(options: JsonObject, name: string): Endpoint {
  const template = templates.find((one) => one === options.template) ?? "messages";
  return readEndpoints(options).get(name) ?? { template, isAsync: false };
}

/**
 * Checks the address, and that the key may list endpoints.
 * @throws ProviderError
 */
export async function checkConnection(context: CallContext): Promise<{ message: string }> {
  let count = 0;
  for await (const page of listEndpoints(context)) count += page.length;
  return {
    message:
      count === 1 ? sentences.connections.oneEndpoint : sentences.connections.endpoints({ count }),
  };
}

/**
 * Lists endpoints with ListEndpoints of the control plane, page by page; those in service are
 * models.
 * @throws ProviderError
 */
export async function* listEndpoints(unsigned: CallContext): AsyncGenerator<ModelFacts[]> {
  const { options, addresses } = unsigned.connection;
  readEndpoints(options);
  const { context } = await signIn(unsigned, "sagemaker");
  const seen = new Set<string>();
  for (let page = 0, next = ""; page < maxPages; page++) {
    const init = unpaid({
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.1",
        "x-amz-target": "SageMaker.ListEndpoints",
      },
      body: JSON.stringify({
        MaxResults: 100,
        StatusEquals: "InService",
        ...(next && { NextToken: next }),
      }),
      signal: context.signal,
    });
    const response = await context.fetch(`${(addresses.control ?? "").replace(/\/+$/, "")}/`, init);
    await throwUnlessOk(response, context, "GET");
    const body = await readJson(response, readOptions(context, "GET"));
    if (!isRecord(body) || !Array.isArray(body.Endpoints)) throw isNotThis();
    const names = body.Endpoints.flatMap((row) =>
      isRecord(row) && typeof row.EndpointName === "string" ? [row.EndpointName] : [],
    );
    const fresh = names.filter((name) => !seen.has(name));
    for (const name of fresh) seen.add(name);
    yield fresh.map((name) => toFacts(name, endpointOf(options, name)));
    if (typeof body.NextToken !== "string" || body.NextToken === "" || fresh.length === 0) return;
    next = body.NextToken;
  }
}

const facts: Readonly<
  Record<
    Template,
    Pick<ModelFacts, "inputModalities" | "outputModalities" | "inputSchema" | "capabilities"> & {
      task: Task;
    }
  >
> = {
  messages: {
    task: "chat",
    inputModalities: ["text", "image"],
    outputModalities: ["text"],
    inputSchema: chatForm({}, undefined),
    capabilities: {},
  },
  tgi: {
    task: "chat",
    inputModalities: ["text"],
    outputModalities: ["text"],
    inputSchema: chatForm({ reasoning: false }, undefined),
    capabilities: { imageInput: false, tools: false, reasoning: false, seed: true },
  },
  images: {
    task: "image",
    inputModalities: ["text"],
    outputModalities: ["image"],
    inputSchema: imageForm(),
    capabilities: { seed: true },
  },
  json: {
    task: "other",
    inputModalities: ["text"],
    outputModalities: ["file"],
    inputSchema: null,
    capabilities: {},
  },
};

/** An endpoint is billed by the hour, not by the run, so it has no price here. */
function toFacts(name: string, { template, isAsync }: Endpoint): ModelFacts {
  const { task, ...shared } = facts[template];
  const description = sentences.cloud.endpointDescription({
    api: template,
    isAsync,
  });
  return {
    id: name,
    name,
    description,
    tasks: [task],
    ...shared,
    limits: {},
    price: null,
    status: "active",
  };
}

/** The fields of JumpStart's Stable Diffusion endpoints. */
function imageForm(): JsonSchema {
  const side = { type: "integer", minimum: 64, maximum: 2_048, multipleOf: 8, default: 512 };
  return inOrder(
    {
      prompt: { type: "string", title: "Prompt", minLength: 1 },
      negativePrompt: {
        type: "string",
        title: "Without",
        description: "Content to avoid in the picture.",
      },
      width: { ...side, title: "Width" },
      height: { ...side, title: "Height" },
      n: { type: "integer", title: "Pictures", minimum: 1, maximum: 8, default: 1 },
      steps: { type: "integer", title: "Steps", minimum: 1, maximum: 500 },
      guidanceScale: { type: "number", title: "Keep to the prompt", minimum: 0, maximum: 20 },
      seed: { type: "integer", title: "Seed", minimum: 0, maximum: 4_294_967_295 },
    },
    ["prompt"],
  );
}
