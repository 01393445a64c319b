import type { Message, MessagePart, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  getConversation,
  type Idempotency,
  insertMessage,
  listMessages,
  moveConversation,
} from "#store/content/conversations.ts";
import type { Tx } from "#store/database/store.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { planSummary } from "../plan/summarize.ts";
import { prepareTurn, type Turn, type TurnAsk } from "../plan/turn.ts";
import { type Admission, admit, findMessageUnderKey, underKey } from "./admit.ts";
import { insertAnswer } from "./insert-answer.ts";
import { requireConversation } from "./next-turn.ts";

export type ContextAsk = {
  conversationId: string;
  /** The last message that the choice leaves out, or that the choice it replaces left out. */
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
 * Inserts a branch's context choice as a sibling of the messages that follow `upTo`. A summary is a
 * run, and applies once it is complete.
 * @throws Problem conflict if the context choice has changed since the person saw it, and what
 *   admitMessage throws
 */
export async function chooseContext(
  deps: EngineDeps,
  asker: Asker,
  ask: ContextAsk,
): Promise<Chosen> {
  const known = await getConversation(deps.store.read, ask.conversationId);
  if (!known) throw new Problem("not_found");
  const { idempotencyKey, ...request } = ask;
  const { choice, upTo } = ask;
  const asked = choice.sends === "summary" ? choice.ask : undefined;
  return admit(
    deps,
    {
      asker,
      projectId: known.projectId,
      models: asked ? [{ ref: asked.model, task: "chat" }] : [],
      idempotency: underKey(idempotencyKey, request),
    },
    {
      find: (key) => findChosen(deps, key),
      async plan([model]) {
        const turn =
          model &&
          asked &&
          (await prepareTurn(
            deps,
            asker,
            await planSummary(deps, model, known, upTo, asked.settings),
          ));
        return {
          models: turn ? [turn.model] : [],
          insert: (admission) => insertChosen(admission, deps, ask, turn),
        };
      },
    },
  );
}

async function findChosen(deps: EngineDeps, key: Idempotency): Promise<Chosen | undefined> {
  const found = await findMessageUnderKey(deps, key);
  return found && { message: found.message, run: found.run ?? null };
}

async function insertChosen(
  admission: Admission,
  deps: EngineDeps,
  ask: ContextAsk,
  turn: Turn | undefined,
): Promise<Chosen> {
  const { tx, at, idempotency } = admission;
  const { upTo, choice } = ask;
  const conversation = await requireConversation(tx, ask.conversationId);
  await requirePlace(tx, ask);
  const summary =
    turn &&
    (await insertAnswer(admission, deps, {
      conversation,
      parentId: upTo,
      turn,
      summarises: true,
    }));
  const message =
    summary?.answer ??
    (await insertMessage(admission, conversation, {
      id: deps.ids(),
      parentId: upTo,
      role: "context",
      state: "complete",
      parts: partsOf(choice),
      runId: null,
      continuesId: null,
      idempotency,
    }));
  await moveConversation(admission, conversation, { updatedAt: at });
  return { message, run: summary?.run ?? null };
}

function partsOf(choice: ContextAsk["choice"]): MessagePart[] {
  if (choice.sends === "text") return [{ type: "text", text: choice.text }];
  return [{ type: "context", sends: choice.sends === "all" ? "all" : "later" }];
}

/**
 * Checks, in the unit that writes the choice, that the part sent after `upTo` starts with a
 * person's message and that the choice hasn't changed in the meantime.
 * @throws Problem not_found, conflict, invalid_input
 */
async function requirePlace(tx: Tx, { conversationId, upTo, seen }: ContextAsk): Promise<void> {
  const messages = await listMessages(tx, conversationId);
  const last = messages.find(({ id }) => id === upTo);
  if (!last || last.role === "context") throw new Problem("not_found", { field: "upTo" });
  if (last.state === "streaming")
    throw new Problem("conflict", { message: sentences.chat.answerRunning });
  const next = messages.filter(({ role, parentId }) => parentId === upTo && role !== "context");
  if (next.length === 0 ? last.role === "user" : !next.some(({ role }) => role === "user"))
    throw new Problem("invalid_input", {
      field: "upTo",
      message: sentences.chat.leaveOutEndsWithAnswer,
    });
  const newest = messages.findLast(({ role }) => role === "context");
  if (seen !== undefined && (newest?.id ?? null) !== seen) throw new Problem("conflict");
}
