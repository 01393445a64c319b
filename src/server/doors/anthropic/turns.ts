import { hostedBlocks, type MessageQuestion } from "#contract/schemas/doors/anthropic.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { StoredPart, StoredTurn } from "#engine/plan/turns.ts";
import type { ServerDeps } from "../../deps.ts";
import { type EarlierAnswers, findEarlierAnswers } from "../programs/earlier-answers.ts";
import { saveReferencedFile } from "../programs/files.ts";
import type { Asking } from "../programs/follow.ts";
import { createTurns, textPart } from "../programs/turns.ts";
import { isOwnSignature } from "./signature.ts";

type Message = MessageQuestion["messages"][number];
type UserBlock = Exclude<Extract<Message, { role: "user" }>["content"], string>[number];
type ContentBlock = Exclude<UserBlock, { type: "tool_result" }>;
type AnswerBlock = Exclude<Extract<Message, { role: "assistant" }>["content"], string>[number];
type TextContent = NonNullable<MessageQuestion["system"]>;

/**
 * Converts Anthropic's messages to turns, saving their files in the library first. Thinking from
 * our answers returns with their calls.
 * @param drop names the blocks that only their own service can use, and fields of documents
 */
export async function turnsOfMessages(
  deps: ServerDeps,
  asking: Asking,
  { messages, system }: Pick<MessageQuestion, "messages" | "system">,
  { cites, drop }: { cites: boolean; drop: (name: string) => void },
): Promise<StoredTurn[]> {
  const blocks = messages.flatMap<UserBlock | AnswerBlock>(({ content }) =>
    typeof content === "string" ? [] : content,
  );
  const answers = await findEarlierAnswers(deps, asking, {
    callIds: blocks.flatMap((block) =>
      block.type === "tool_use"
        ? [block.id]
        : block.type === "tool_result"
          ? [block.tool_use_id]
          : [],
    ),
  });
  const turns = createTurns(
    answers,
    system ? [{ role: "system", parts: textPart(plainTextOf(system)) }] : [],
  );
  for (const [i, { role, content }] of messages.entries()) {
    const at = `messages.${i}.content`;
    if (typeof content === "string") turns.add(role, textPart(content));
    else if (role === "system") turns.add(role, textPart(plainTextOf(content)));
    else if (role === "assistant")
      turns.add(
        role,
        content.flatMap((block, j) =>
          answerParts(answers, block, (name) => drop(`${at}.${j}${name}`)),
        ),
      );
    else {
      const parts: StoredPart[] = [];
      for (const [j, block] of content.entries()) {
        const field = `${at}.${j}`;
        const within = block.type === "tool_result" ? block.content : [block];
        if (!cites && Array.isArray(within) && within.some(wantsCitations))
          drop(`${field}.citations`);
        if (block.type !== "tool_result")
          parts.push(...(await givenParts(deps, asking, block, field, cites)));
        else {
          const given = typeof block.content === "string" ? textPart(block.content) : [];
          for (const one of typeof block.content === "string" ? [] : (block.content ?? []))
            given.push(
              ...(one.type === "tool_reference"
                ? textPart(`${sentences.api.toolFound({ name: one.tool_name })}\n`)
                : await givenParts(deps, asking, one, field, cites)),
            );
          turns.addResult(block.tool_use_id, given, field, block.is_error === true);
        }
      }
      // After a turn of only results, the model is next.
      if (parts.length > 0 || !content.some(({ type }) => type === "tool_result"))
        turns.add(role, parts);
    }
  }
  return turns.end();
}

export const plainTextOf = (content: TextContent): string =>
  typeof content === "string" ? content : content.map(({ text }) => text).join("\n\n");

type Source = Extract<ContentBlock, { type: "document" }>["source"];
function addressOf(source: Source): string {
  if (source.type === "url") return source.url;
  if (source.type === "base64") return `data:${source.media_type};base64,${source.data}`;
  const text = source.type === "text" ? source.data : plainTextOf(source.content);
  return `data:text/plain;base64,${Buffer.from(text).toString("base64")}`;
}

/** @param drop names a block that is left out, by the rest of its path */
function answerParts(
  answers: EarlierAnswers,
  block: AnswerBlock,
  drop: (rest: string) => void,
): StoredPart[] {
  if (block.type === "text") return textPart(block.text);
  if (block.type === "tool_use")
    return answers.call(block.id, block.name, JSON.stringify(block.input));
  if (isHosted(block)) drop(`.${block.type}`);
  else if (!isOwnSignature(block.type === "thinking" ? block.signature : block.data)) drop("");
  return [];
}

type HostedBlock = Extract<AnswerBlock, { type: (typeof hostedBlocks)[number] }>;
export const isHosted = (block: { type: string }): block is HostedBlock =>
  (hostedBlocks as readonly string[]).includes(block.type);

type ResultBlock = Exclude<
  NonNullable<Extract<UserBlock, { type: "tool_result" }>["content"]>,
  string
>[number];
const wantsCitations = (block: GivenBlock): boolean =>
  "citations" in block && block.citations?.enabled === true;

/** The titles of a question's documents, by the place at which citations name them. */
export type CitedTitles = readonly (string | null)[];

type GivenBlock = ContentBlock | ResultBlock;
/** A user's blocks, with those inside results. */
const givenBlocks = (content: readonly UserBlock[]): GivenBlock[] =>
  content.flatMap<GivenBlock>((block) => {
    if (block.type !== "tool_result") return [block];
    return typeof block.content === "string" ? [] : (block.content ?? []);
  });

const isTextFile = (block: GivenBlock): boolean =>
  block.type === "document" && block.source.type === "text";
const hasWords = (block: UserBlock): boolean =>
  (block.type === "text" && block.text !== "") ||
  block.type === "search_result" ||
  (block.type === "document" && Boolean(block.context));
/** Without words in its message, a text reaches a model as words and not as a document. */
const hasBareText = (content: readonly UserBlock[]): boolean =>
  givenBlocks(content).some(isTextFile) && !content.some(hasWords);

/**
 * Returns the titles of a question's documents; undefined if they aren't to be cited, or one that is
 * has a form in which models don't get documents.
 */
export function titlesToCite(messages: readonly Message[]): CitedTitles | undefined {
  const contents = messages.flatMap<readonly UserBlock[]>(({ role, content }) =>
    role !== "user" || typeof content === "string" ? [] : [content],
  );
  // The places of the others would be wrong.
  if (contents.some(hasBareText)) return undefined;
  const blocks = contents.flatMap(givenBlocks);
  const cited = blocks.filter(wantsCitations);
  const isWhole = (block: GivenBlock): boolean =>
    block.type === "document" && block.source.type !== "content";
  return cited.length > 0 && cited.every(isWhole)
    ? blocks.flatMap((block) => (block.type === "document" ? [block.title ?? null] : []))
    : undefined;
}

async function givenParts(
  deps: ServerDeps,
  asking: Asking,
  block: ContentBlock,
  field: string,
  cites: boolean,
): Promise<StoredPart[]> {
  if (block.type === "text") return textPart(block.text);
  if (block.type === "search_result")
    return textPart(`${block.title}\n${block.source}\n\n${plainTextOf(block.content)}`);
  const { source } = block;
  const isFile = source.type === "base64" || source.type === "url" || cites;
  if (!isFile && (source.type === "text" || source.type === "content")) {
    const text = source.type === "text" ? source.data : plainTextOf(source.content);
    const title = block.type === "document" ? [block.title, block.context] : [];
    return textPart([...title, text].filter(Boolean).join("\n\n"));
  }
  const title = block.type === "document" ? block.title : "picture";
  const name = title?.replaceAll("/", "-") ?? "document";
  const assetId = await saveReferencedFile(deps, asking, addressOf(source), field, name);
  const context = block.type === "document" && block.context ? block.context : "";
  return [...textPart(context), { type: "file", assetId }];
}
