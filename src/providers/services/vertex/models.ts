import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, type ModelFacts, ProviderError } from "../../adapter.ts";
import { chatForm } from "../../wire/forms.ts";
import { readPages, rowsOf } from "../../wire/model-list.ts";
import { askObject, getObject } from "../google/access.ts";
import { toFacts } from "../google/facts.ts";
import { readStatedModels } from "../openai-compatible/models.ts";
import { locationOf, type SignedConnection, signIn } from "./access.ts";
import { claudeModels, googleModels, openModels } from "./snapshot.ts";

/**
 * The model whose tokens the check counts: a free request that shows whether the account may use
 * models.
 */
const askedModel = "gemini-2.5-flash";

/**
 * A location without the model was still reached and accepted the credentials.
 * @throws ProviderError
 */
export async function checkConnection(context: CallContext): Promise<{ message: string }> {
  const { google } = await signIn(context);
  const question = { contents: [{ role: "user", parts: [{ text: "hello" }] }] };
  await askObject(google, `/models/${askedModel}:countTokens`, question).catch((error: unknown) => {
    if (!(error instanceof ProviderError) || error.detail.httpStatus !== 404) throw error;
  });
  return {
    message: sentences.connections.location({
      location:
        context.connection.options.signIn === "API key" ? "express mode" : locationOf(context),
    }),
  };
}

/**
 * Lists Google's own models from the snapshot, without those missing from its list; then the
 * partners', if the sign-in opens them, and those that the connection's option `models` adds.
 * @throws ProviderError
 */
export async function* listModels(context: CallContext): AsyncGenerator<ModelFacts[]> {
  const stated = readStatedModels(context.connection.options.models);
  const added = new Set(stated.map(({ id }) => id));
  const signed = await signIn(context);
  const listed = signed.partners ? await listedNames(signed) : null;
  const offered = googleModels.filter(
    ({ id }) => (listed === null || listed.has(id)) && !added.has(id),
  );
  yield offered.map(({ known, ...model }) => toFacts(model, known));
  if (signed.partners)
    yield [
      ...claudeModels.map((id) => toClaude(id, context)),
      ...openModels.map(toOpenModel),
    ].filter(({ id }) => !added.has(id));
  if (stated.length > 0) {
    yield stated.map((model) =>
      model.id.startsWith("anthropic/") ? toClaude(model.id.slice(10), context) : toStated(model),
    );
  }
}

const toStated = (model: ReturnType<typeof readStatedModels>[number]): ModelFacts =>
  model.id.includes("/") ? toOpenModel(model.id) : toFacts(model, undefined);

/**
 * Returns the publisher's list
 * (https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/publishers.models/list); null
 * when the account may not read it.
 */
async function listedNames({
  google,
  listAddress,
}: SignedConnection<CallContext>): Promise<Set<string> | null> {
  const names = new Set<string>();
  const at = {
    ...google,
    connection: {
      ...google.connection,
      addresses: { ...google.connection.addresses, api: listAddress },
    },
  };
  try {
    const pages = readPages(
      ({ name }) => name,
      async (token) => {
        const from = token && `&pageToken=${encodeURIComponent(token)}`;
        const body = await getObject(at, `/google/models?pageSize=100${from}`);
        return { rows: rowsOf(body.publisherModels ?? []), next: body.nextPageToken };
      },
    );
    for await (const rows of pages)
      for (const { name } of rows) names.add(String(name).replace(/^.*\/models\//, ""));
  } catch (error) {
    const status = error instanceof ProviderError ? error.detail.httpStatus : undefined;
    if (status !== 403 && status !== 404) throw error;
    return null;
  }
  // A list without any known model isn't Google's.
  return googleModels.some(({ id }) => names.has(id)) ? names : null;
}

function toClaude(id: string, context: CallContext): ModelFacts {
  const capabilities = {
    imageInput: true,
    pdfInput: true,
    tools: true,
    reasoning: true,
    seed: false,
  };
  return {
    id: `anthropic/${id}`,
    name: `${id} (Anthropic)`,
    tasks: ["chat"],
    inputModalities: ["text", "image", "file"],
    outputModalities: ["text"],
    inputSchema: chatForm(capabilities, undefined),
    capabilities,
    limits: {},
    price: null,
    status: "active",
    // The list has the prices of the global endpoint; regions cost more.
    pricedAs: locationOf(context) === "global" ? id : null,
  };
}

function toOpenModel(id: string): ModelFacts {
  const capabilities = { tools: true };
  return {
    id,
    name: id.replace(/^.*\//, ""),
    tasks: ["chat"],
    inputModalities: ["text"],
    outputModalities: ["text"],
    inputSchema: chatForm(capabilities, undefined),
    capabilities,
    limits: {},
    price: null,
    status: "active",
  };
}
