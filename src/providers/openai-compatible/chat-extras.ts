import type { AnswerPart, FinishReason } from "../adapter.ts";
import { isRecord } from "../error-words.ts";

/**
 * What streams carry beside text, which the client's own parts leave out: pictures (OpenRouter), sources as annotations
 * (OpenAI, OpenRouter) or as a list of addresses (Perplexity). Also remembers the finish, since a stray line after it
 * makes the client forget.
 */
export function createChatExtras() {
  const waiting: AnswerPart[] = [];
  const cited = new Set<string>();
  let pictures = 0;
  let finish: string | undefined;

  function cite(url: unknown, title: unknown) {
    if (typeof url !== "string" || cited.has(url)) return;
    cited.add(url);
    waiting.push({ type: "source", title: typeof title === "string" && title ? title : url, url });
  }

  /** The client takes an empty `error` field for an error and drops the words beside it. */
  function readWords(delta: Record<string, unknown>) {
    const thought = delta.reasoning_content ?? delta.reasoning;
    if (typeof thought === "string" && thought) waiting.push({ type: "reasoning", text: thought });
    if (typeof delta.content === "string" && delta.content) waiting.push({ type: "text", text: delta.content });
  }

  function readPicture(image: unknown) {
    const url = isRecord(image) && isRecord(image.image_url) ? image.image_url.url : undefined;
    if (typeof url !== "string") return;
    const inline = /^data:(image\/[a-z.+-]+);base64,/i.exec(url);
    const name = `picture-${++pictures}`;
    if (inline)
      waiting.push({ type: "file", output: { name, mime: inline[1]!, bytes: Buffer.from(url.slice(inline[0].length), "base64") } });
    else waiting.push({ type: "file", output: { name, url } });
  }

  return {
    read(chunk: unknown) {
      if (!isRecord(chunk)) return;
      if (Array.isArray(chunk.citations)) for (const url of chunk.citations) cite(url, url);
      const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
      if (!isRecord(choice)) return;
      if (typeof choice.finish_reason === "string" && choice.finish_reason !== "error") finish = choice.finish_reason;
      if (!isRecord(choice.delta)) return;
      if ("error" in chunk && !chunk.error) readWords(choice.delta);
      if (Array.isArray(choice.delta.images)) choice.delta.images.forEach(readPicture);
      if (Array.isArray(choice.delta.annotations)) {
        for (const note of choice.delta.annotations)
          if (isRecord(note) && isRecord(note.url_citation)) cite(note.url_citation.url, note.url_citation.title);
      }
    },
    take: () => waiting.splice(0),
    finish: (): FinishReason | undefined => (finish === undefined ? undefined : (finishReasons[finish] ?? "other")),
  };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  content_filter: "content-filter",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
};
