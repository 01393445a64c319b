import type { BlobStore } from "#blobs/blob-store.ts";
import type {
  Asset,
  Message,
  MessagePart,
  ModelDetail,
  ToolCallPart,
  ToolResultPart,
} from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import type {
  ChatPart,
  ChatTurn,
  InputFile,
  ModelCapabilities,
  RunRequest,
} from "#providers/adapter.ts";
import { getAsset, listRunInputs } from "#store/content/assets.ts";
import { type ChatRunInput, getMessage } from "#store/content/conversations.ts";
import {
  hasOwnErrorSince,
  isRefused,
  listAttempts,
  passingStatuses,
} from "#store/runs/attempts.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { EngineDeps } from "../deps.ts";
import { filesOf } from "../plan/context/count.ts";
import { readSentTo } from "../plan/context/sent.ts";
import { askSummary, withSummary } from "../plan/context/summary.ts";
import { readMerge, withMerge } from "../plan/merge.ts";
import { titleInputOf, titleTurns } from "../plan/title.ts";
import { openTurns, parametersFor, turnsOf } from "../plan/turns.ts";
import { describeTools, type ToolBinding } from "../tools/offer.ts";

/**
 * Builds the adapter's request from ids and immutable messages, so that it is the same after a
 * restart.
 */
export async function buildRequest(
  deps: Pick<EngineDeps, "store" | "blobs" | "kinds">,
  run: OwnedRun,
  model: ModelDetail,
): Promise<RunRequest> {
  const facts = {
    id: model.modelId,
    inputSchema: model.inputSchema,
    capabilities: model.capabilities as ModelCapabilities,
  };
  const title = run.task === "chat" ? titleInputOf(run.input) : undefined;
  if (title)
    return {
      runId: run.id,
      task: run.task,
      model: facts,
      input: title.settings,
      turns: await titleTurns(deps.store.read, title),
      files: new Map(),
    };
  if (run.task !== "chat" || !run.messageId) {
    const inputs = await listRunInputs(deps.store.read, run.id);
    const given = run.task === "chat" ? turnsOf(run.input) : undefined;
    const files = await openFiles(
      deps,
      inputs.map((input) => input.assetId),
    );
    if (given) {
      const { turns, settings, added: _, passed, ...asked } = given;
      const kind = deps.kinds.get(model.connectionKind);
      const passes = kind ? parametersFor(kind, model, settings) : [];
      return {
        runId: run.id,
        task: run.task,
        model: facts,
        input: settings,
        turns: openTurns(turns, files, run.connectionId),
        ...asked,
        ...(passed && { passed: pick(passed, passes) }),
        files,
      };
    }
    return {
      runId: run.id,
      task: run.task,
      model: facts,
      input: run.input as JsonObject,
      turns: [],
      files,
    };
  }
  const input = run.input as ChatRunInput;
  const { sent, summary } = await readSentTo(deps.store.read, input);
  const files = await openFiles(
    deps,
    sent.flatMap((message) => message.parts.flatMap(filesOf)),
    // A file that has since moved to another project counts as deleted.
    run.projectId,
  );
  const tools = await describeTools(deps, (input.tools ?? []) as ToolBinding[]);
  const begun = input.continueFrom
    ? await getMessage(deps.store.read, input.continueFrom)
    : undefined;
  const recordsOf = await recordsSender(deps, run, begun ? [...sent, begun] : sent);
  const sees = facts.capabilities.imageInput === true;
  const read = sent.flatMap((message) => [
    toTurn(message, files, { recordsOf, canUse: tools.length > 0 }),
    ...(sees ? picturesOf(message, files) : []),
  ]);
  const merge = input.merges && (await readMerge(deps.store.read, input.merges));
  const said = merge === undefined ? read : withMerge(read, merge);
  const turns: ChatTurn[] = [
    ...(input.systemPrompt
      ? [{ role: "system" as const, parts: [{ type: "text" as const, text: input.systemPrompt }] }]
      : []),
    ...withSummary(input.summarises ? [...said, askSummary] : said, summary),
  ];
  if (begun) turns.push(...continuation(begun, files, recordsOf, facts.capabilities));
  return {
    runId: run.id,
    task: run.task,
    model: facts,
    input: input.settings,
    turns,
    files,
    ...(tools.length > 0 && { tools }),
    ...(input.answerShape && { answerShape: { ...input.answerShape, strict: true } }),
  };
}

const pick = (values: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

/**
 * The connection whose tool records are sent, or null when what its provider left for this
 * conversation, a container or a store, may be gone:
 *
 * - an earlier attempt of the run was refused because of it (`forgotten`). Attempts also follow other
 *   refusals, such as that of a probe or of an alias's previous model. Those lose a container and
 *   nothing else.
 * - an answer since then failed with the provider's own 5xx, which may be its way to report a lost
 *   container. The program doesn't repeat those, and a person's retry would fail again.
 */
async function recordsSender(
  { store }: Pick<EngineDeps, "store">,
  { id, attempts, connectionId }: OwnedRun,
  sent: readonly Message[],
): Promise<string | null> {
  const last = sent.findLast(
    ({ parts, isCopy }) => !isCopy && parts.some(isRecordOf(connectionId)),
  );
  if (!last) return null;
  const before = attempts < 2 ? [] : (await listAttempts(store.db, id)).filter(isRefused);
  const isForgotten = before.some(
    ({ httpStatus }) => httpStatus !== null && !passingStatuses.includes(httpStatus),
  );
  if (isForgotten) return null;
  const since = { conversationId: last.conversationId, messageId: last.id };
  return (await hasOwnErrorSince(store.db, since, connectionId)) ? null : connectionId;
}

const isRecordOf =
  (connectionId: string) =>
  (part: MessagePart): boolean =>
    part.type === "tool-record" && part.connectionId === connectionId;

/**
 * @param of `recordsOf`: the connection whose tool records are sent, or null for none; `canUse`:
 *   whether the request declares tools; without them, tool calls become text, because providers
 *   refuse calls of undeclared tools
 */
function toTurn(
  message: Message,
  files: ReadonlyMap<string, InputFile>,
  { recordsOf, canUse }: { recordsOf: string | null; canUse: boolean },
): ChatTurn {
  const parts = message.parts.flatMap((part): ChatPart[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type === "reasoning")
      return canUse && part.providerMetadata
        ? [
            {
              type: "reasoning",
              text: part.text,
              providerMetadata: part.providerMetadata as Record<string, JsonObject>,
            },
          ]
        : [];
    if (part.type === "tool-call") return [toCall(part, canUse)];
    if (part.type === "tool-result") return [toResult(part, canUse)];
    // Another account lacks the container that the record refers to, and a fork must not see what
    // the container has made since.
    if (part.type === "tool-record")
      return part.connectionId === recordsOf && !message.isCopy
        ? [{ type: "tool-record", data: part.data as JsonObject }]
        : [];
    if (part.type !== "file") return [];
    const file = files.get(part.assetId);
    if (!file) return [{ type: "text", text: "[a file that was deleted]" }];
    // Tools refer to a file by this id.
    return [
      ...(canUse
        ? [{ type: "text" as const, text: `[asset:${part.assetId}, ${file.name}, ${file.mime}]` }]
        : []),
      { type: "file", file },
    ];
  });
  return {
    role:
      message.role === "assistant" || (message.role === "tool" && canUse) ? message.role : "user",
    parts,
  };
}

/**
 * Adds pictures from tools as a user turn after their results, because most models accept pictures
 * only there.
 */
function picturesOf(message: Message, files: ReadonlyMap<string, InputFile>): ChatTurn[] {
  const parts = message.parts.flatMap((part): ChatPart[] => {
    if (part.type !== "tool-result") return [];
    return (part.pictureIds ?? []).flatMap((id): ChatPart[] => {
      const file = files.get(id);
      if (!file) return [];
      return [
        { type: "text", text: `[asset:${id}, from ${part.name}]` },
        { type: "file", file },
      ];
    });
  });
  return parts.length > 0 ? [{ role: "user", parts }] : [];
}

function toCall(part: ToolCallPart, canUse: boolean): ChatPart {
  const { callId, name, input, providerMetadata } = part;
  if (!canUse)
    return {
      type: "text",
      text: `[asked for ${name}: ${part.malformed ?? JSON.stringify(input)}]`,
    };
  return {
    type: "tool-call",
    callId,
    name,
    input: input as JsonObject,
    ...(providerMetadata && { providerMetadata: providerMetadata as Record<string, JsonObject> }),
  };
}

function toResult({ callId, name, state, output }: ToolResultPart, canUse: boolean): ChatPart {
  if (!canUse) return { type: "text", text: `[${name} gave: ${output}]` };
  return { type: "tool-result", callId, name, output, ...(state !== "done" && { failed: true }) };
}

/**
 * The partial answer as the last turn. A model that can't continue it natively is asked to in a
 * user turn.
 */
function continuation(
  begun: Message,
  files: ReadonlyMap<string, InputFile>,
  recordsOf: string | null,
  capabilities: ModelCapabilities,
): ChatTurn[] {
  const turn = toTurn(begun, files, { recordsOf, canUse: false });
  if (capabilities.prefill) return [turn];
  return [
    turn,
    {
      role: "user",
      parts: [
        {
          type: "text",
          text: "Continue exactly where your last message stopped. Do not repeat any of it.",
        },
      ],
    },
  ];
}

async function openFiles(
  deps: Pick<EngineDeps, "store" | "blobs">,
  assetIds: readonly string[],
  inProject?: string,
): Promise<Map<string, InputFile>> {
  const files = new Map<string, InputFile>();
  for (const id of new Set(assetIds)) {
    const asset = await getAsset(deps.store.read, id);
    if (asset && (inProject === undefined || asset.projectId === inProject))
      files.set(id, toInputFile(deps.blobs, asset));
  }
  return files;
}

function toInputFile(blobs: BlobStore, asset: Asset): InputFile {
  return {
    assetId: asset.id,
    sha256: asset.sha256,
    mime: asset.mime,
    bytes: asset.bytes,
    name: asset.title,
    width: asset.width,
    height: asset.height,
    open: (range) => blobs.get(asset.sha256, range),
  };
}
