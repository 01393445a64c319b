import type { Conversation, Message, MessagePart, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { choiceOf, contextTokensOf, newestChoice, sentOf } from "#domain/text/context.ts";
import {
  branchOf,
  getConversation,
  getMessage,
  type Idempotency,
  insertMessage,
  listMessages,
  lockConversation,
  updateConversation,
} from "#store/content/conversations.ts";
import type { Tx } from "#store/database/store.ts";
import { hashOf } from "../../connections/catalogue.ts";
import type { EngineDeps } from "../../deps.ts";
import { refuseWhenFull } from "../../room.ts";
import {
  type Asker,
  admitOnce,
  foundUnderKey,
  requireConnections,
  requireValid,
  usableModel,
} from "../admission.ts";
import { wordsOf } from "../hold.ts";
import {
  type Described,
  type Foretold,
  foretell,
  insertAnswer,
  priceTurn,
  routeTurn,
  type Turn,
  type TurnAsk,
  turnOf,
} from "../turn.ts";
import { summaryQuestion, summarySystemPrompt } from "./summary.ts";

export type ContextAsk = {
  conversationId: string;
  /** The last message that is left out, or was. */
  upTo: string;
  choice:
    | { sends: "later" }
    | { sends: "all" }
    | { sends: "text"; text: string }
    | { sends: "summary"; ask: TurnAsk };
  seen?: string | null;
  idempotencyKey?: string;
};
export type Chosen = { message: Message; run: Run | null };

/**
 * What of a branch is sent from now on, as a message beside those that go on from `upTo`. A summary is a run: it holds once it is whole.
 * @throws Problem conflict when another choice was made than the person has seen, and as admitMessage does
 */
export async function chooseContext(
  deps: EngineDeps,
  asker: Asker,
  ask: ContextAsk,
): Promise<Chosen> {
  const known = await getConversation(deps.store.read, ask.conversationId);
  if (!known) throw new Problem("not_found");
  const { idempotencyKey, ...request } = ask;
  const scope = `${known.projectId}:${asker.userId}`;
  const idempotency = idempotencyKey
    ? { scope, key: idempotencyKey, requestHash: hashOf(request) }
    : undefined;
  return admitOnce(
    () => existing(deps, idempotency),
    async () => {
      const turn =
        ask.choice.sends === "summary"
          ? await prepareSummary(deps, asker, known, ask.upTo, ask.choice.ask)
          : undefined;
      return deps.commit(async (tx, outbox) => {
        if (turn) await requireConnections(deps, tx, [turn.model]);
        const conversation = await lockConversation(deps.store, tx, known.id);
        if (!conversation) throw new Problem("not_found");
        await requirePlace(tx, ask);
        const at = deps.clock.now();
        if (turn) {
          const { answer, run } = await insertAnswer(deps, tx, outbox, asker, {
            conversation,
            parentId: ask.upTo,
            turn,
            summarises: true,
            idempotency,
            at,
          });
          await updateConversation(tx, outbox, conversation.id, { updatedAt: at }, at);
          return { message: answer, run };
        }
        const message = await insertMessage(tx, {
          id: deps.ids(),
          conversationId: conversation.id,
          parentId: ask.upTo,
          role: "context",
          state: "complete",
          parts: partsOf(ask.choice),
          runId: null,
          continuesId: null,
          idempotency,
          at,
        });
        await updateConversation(tx, outbox, conversation.id, { updatedAt: at }, at);
        return { message, run: null };
      });
    },
  );
}

async function existing(
  deps: EngineDeps,
  idempotency: Idempotency | undefined,
): Promise<Chosen | undefined> {
  if (!idempotency) return undefined;
  const { run, message } = await foundUnderKey(deps, idempotency);
  const begun =
    message ?? (run?.messageId ? await getMessage(deps.store.read, run.messageId) : undefined);
  return begun && { message: begun, run: run ?? null };
}

function partsOf(choice: ContextAsk["choice"]): MessagePart[] {
  if (choice.sends === "text") return [{ type: "text", text: choice.text }];
  return [{ type: "context", sends: choice.sends === "all" ? "all" : "later" }];
}

/** In the unit that writes it: what is sent after it begins with a person's words, and nobody has chosen anything else meanwhile. */
async function requirePlace(tx: Tx, { conversationId, upTo, seen }: ContextAsk): Promise<void> {
  const messages = await listMessages(tx, conversationId);
  const last = messages.find(({ id }) => id === upTo);
  if (!last || last.role === "context") throw new Problem("not_found", { field: "upTo" });
  if (last.state === "streaming")
    throw new Problem("conflict", { message: "This answer is still being written." });
  const next = messages.filter(({ role, parentId }) => parentId === upTo && role !== "context");
  if (next.length === 0 ? last.role === "user" : !next.some(({ role }) => role === "user"))
    throw new Problem("invalid_input", {
      field: "upTo",
      message: "What is left out has to end with an answer.",
    });
  const newest = messages.findLast(({ role }) => role === "context");
  if (seen !== undefined && (newest?.id ?? null) !== seen) throw new Problem("conflict");
}

/** What a summary will cost that nobody has asked for yet. @throws Problem model_gone */
export const estimateSummary = async (
  deps: EngineDeps,
  asker: Asker,
  conversation: Conversation,
  upTo: string,
  ask: TurnAsk,
): Promise<Foretold> =>
  foretell(deps, asker, await describeSummary(deps, asker, conversation, upTo, ask));

async function prepareSummary(
  deps: EngineDeps,
  asker: Asker,
  conversation: Conversation,
  upTo: string,
  ask: TurnAsk,
): Promise<Turn> {
  await refuseWhenFull(deps);
  const turn = await describeSummary(deps, asker, conversation, upTo, ask);
  requireValid(turn.model, turn.settings);
  const routed = await routeTurn(deps, turn, (one, given) =>
    priceTurn(deps, asker, one, given, turn.reading),
  );
  return {
    ...turnOf(turn.settings, routed),
    systemPrompt: summarySystemPrompt,
    tools: [],
    context: turn.reading.sent.choice?.id,
  };
}

/** A summary is made of the messages themselves, and of an earlier summary where one stands for the oldest; what was dropped is in it. */
async function describeSummary(
  deps: EngineDeps,
  asker: Asker,
  { id, projectId }: Conversation,
  upTo: string,
  ask: TurnAsk,
): Promise<Described> {
  const model = await usableModel(deps, asker, projectId, ask.model, "chat");
  const context = contextTokensOf(model, ask.settings);
  const maxOutputTokens = Math.min(
    limits.summaryTokens,
    context === null
      ? limits.summaryTokens
      : Math.max(1, Math.floor(context * limits.chatOutputShare)),
  );
  const settings = { maxOutputTokens, ...ask.settings };
  const messages = await listMessages(deps.store.read, id);
  const branch = branchOf(messages, upTo);
  const earlier = messages.filter(({ parentId }) => parentId !== upTo);
  const newest = newestChoice(branch, earlier, true);
  const choice = newest && choiceOf(newest) === "summary" ? newest : undefined;
  const sent = sentOf(branch, choice);
  const saying = { parentId: null, said: wordsOf([summaryQuestion]), assetIds: [] };
  const reading = { ...saying, projectId, systemPrompt: summarySystemPrompt, described: [], sent };
  return { model, settings, tools: [], answerShape: undefined, reading };
}
