import { sentences } from "#contract/sentences/index.ts";
import type { Modality, Task } from "#contract/tasks.ts";
import type { CallContext, ModelFacts } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { chatForm } from "../../wire/forms.ts";
import { type Row, readPages, rowsOf } from "../../wire/model-list.ts";
import { addressOf, getObject, signInToBedrock } from "./access.ts";
import { baseOf, embedsText, isForChat, readsDocuments } from "./catalogue.ts";
import { embeddingForm, imageFormOf, videoFormOf } from "./media-forms.ts";

/**
 * Lists the on-demand foundation models (ListFoundationModels), then the inference profiles over
 * them (ListInferenceProfiles). Most newer models answer only through a profile.
 * @throws ProviderError
 */
export async function* listModels(unsigned: CallContext): AsyncGenerator<ModelFacts[]> {
  const { context } = await signInToBedrock(unsigned);
  const control = addressOf(context, "control");
  const models = new Map<string, Row>();
  const { modelSummaries } = await getObject(context, `${control}/foundation-models`);
  for (const row of rowsOf(modelSummaries, sentences.connections.noBedrockModelList))
    models.set(String(row.modelId), row);
  yield [...models.values()]
    .filter(isOnDemand)
    .flatMap((row) => toFacts(String(row.modelId), String(row.modelName ?? row.modelId), row));

  const pages = readPages(profileId, async (token) => {
    const from = token && `&nextToken=${encodeURIComponent(token)}`;
    const body = await getObject(context, `${control}/inference-profiles?maxResults=1000${from}`);
    return {
      rows: rowsOf(body.inferenceProfileSummaries, sentences.connections.noBedrockModelList),
      next: body.nextToken,
    };
  });
  for await (const rows of pages) yield rows.flatMap((row) => profileFacts(row, models));
}

const isOnDemand = ({ inferenceTypesSupported: types }: Row): boolean =>
  Array.isArray(types) && types.includes("ON_DEMAND");
/** A profile created by the account has only an ARN. */
const profileId = (row: Row): string =>
  String(row.type === "APPLICATION" ? row.inferenceProfileArn : row.inferenceProfileId);

function profileFacts(row: Row, models: ReadonlyMap<string, Row>): ModelFacts[] {
  const [first] = Array.isArray(row.models) ? row.models : [];
  const base = isRecord(first)
    ? models.get(String(first.modelArn).replace(/^.*foundation-model\//, ""))
    : undefined;
  if (!base || row.status !== "ACTIVE") return [];
  const said =
    typeof row.description === "string" && row.description !== "" ? row.description : undefined;
  return toFacts(profileId(row), String(row.inferenceProfileName ?? profileId(row)), base).map(
    (facts) => ({
      ...facts,
      ...(said !== undefined && { description: said }),
    }),
  );
}

const modalityOf: Readonly<Record<string, Modality>> = {
  TEXT: "text",
  IMAGE: "image",
  VIDEO: "video",
  SPEECH: "audio",
  AUDIO: "audio",
};
const modalities = (value: unknown): Modality[] =>
  (Array.isArray(value) ? value : []).flatMap((name) => modalityOf[String(name)] ?? []);

/** Empty for a model with an unsupported API. `base` is the row of the foundation model. */
function toFacts(id: string, name: string, base: Row): ModelFacts[] {
  const baseId = baseOf(String(base.modelId));
  const inputs = modalities(base.inputModalities);
  const outputs = modalities(base.outputModalities);
  const lifecycle = isRecord(base.modelLifecycle) ? base.modelLifecycle.status : undefined;
  const shared = {
    id,
    name:
      typeof base.providerName === "string" && !name.includes(base.providerName)
        ? `${base.providerName} ${name}`
        : name,
    inputModalities: inputs,
    limits: {},
    price: null,
    status: lifecycle === "LEGACY" ? ("deprecated" as const) : ("active" as const),
  };
  const media = (
    tasks: Task[],
    output: Modality,
    inputSchema: ModelFacts["inputSchema"],
  ): ModelFacts[] => [
    { ...shared, tasks, outputModalities: [output], inputSchema, capabilities: { seed: true } },
  ];
  if (outputs.includes("image")) {
    const form = imageFormOf(baseId);
    return media(inputs.includes("image") ? ["image", "edit"] : ["image"], "image", form);
  }
  if (outputs.includes("video")) return media(["video"], "video", videoFormOf(baseId));
  if (Array.isArray(base.outputModalities) && base.outputModalities.includes("EMBEDDING")) {
    return embedsText(baseId)
      ? media(["embedding"], "file", embeddingForm).map((facts) => ({ ...facts, capabilities: {} }))
      : [];
  }
  if (!outputs.includes("text") || !inputs.includes("text") || !isForChat(baseId)) return [];
  const capabilities = {
    imageInput: inputs.includes("image"),
    pdfInput: readsDocuments(baseId),
    seed: false,
  };
  return [
    {
      ...shared,
      tasks: ["chat"],
      inputModalities: [
        ...inputs.filter((modality) => modality === "text" || modality === "image"),
        ...(capabilities.pdfInput ? (["file"] as const) : []),
      ],
      outputModalities: ["text"],
      inputSchema: chatForm(capabilities, undefined),
      capabilities,
    },
  ];
}
