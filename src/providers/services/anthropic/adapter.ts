import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { JsonObject } from "#contract/json.ts";
import type { Adapter, AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { forgottenBy } from "../../ai-sdk/left-at-provider.ts";
import { openCodeRecord } from "../../ai-sdk/ran-code.ts";
import { stopSequenceIn } from "../../ai-sdk/stop-sequence.ts";
import { baseUrl, keyOf } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { checkByList } from "../../wire/model-list.ts";
import {
  codeTool,
  containerIn,
  createCodeReader,
  isContainerGone,
  openFile,
  withFileName,
} from "./code-execution.ts";
import { classify } from "./errors.ts";
import { anthropicKind } from "./kind.ts";
import { countTokens, listModels } from "./models.ts";
import { withThinkingInLimit } from "./thinking-limit.ts";

export const anthropic: Adapter = {
  ...anthropicKind,
  check: checkByList(listModels),
  models: listModels,
  answer: answerChat,
  openFile,
  countTokens,
};

/**
 * The client loads with the first answer.
 * @throws ProviderError, or the signal's reason
 */
async function* answerChat(request: RunRequest, context: RunContext): AsyncGenerator<AnswerPart> {
  const [{ createAnthropic }, { createSdkCall }, { answerLanguage, claudeCallId }] =
    await Promise.all([
      import("@ai-sdk/anthropic"),
      import("../../ai-sdk/sdk-call.ts"),
      import("../../ai-sdk/language.ts"),
    ]);
  const code = request.input.codeInterpreter === true ? createCodeReader(context) : undefined;
  const container = code && containerIn(request, context.clock.now());
  const call = createSdkCall(context, classify);
  const model = createAnthropic({
    apiKey: keyOf(context),
    baseURL: baseUrl(context),
    fetch: withThinkingInLimit(call.fetch, request, context),
  })(request.model.id);
  const parts = answerLanguage(call, model, request, context, {
    callId: claudeCallId,
    ...(code && {
      providerTools: [codeTool],
      openRecord: openCodeRecord,
      readTool: code.readTool,
      onRaw: code.onRaw,
    }),
    // The API refuses citations in an answer with a required form.
    ...(!request.answerShape && {
      documents: true,
      editPrompt: citeDocuments,
      ...(hasFiles(request) && { citationsOf }),
    }),
    resultOf: stopSequenceIn("anthropic"),
    // Repeated long prompts are read from the provider's cache, at a tenth of the price.
    providerOptions: {
      anthropic: {
        cacheControl: { type: "ephemeral" },
        ...(container && { container: { id: container } }),
        ...(request.passed?.parallel_tool_calls === false && { disableParallelToolUse: true }),
        ...(typeof request.passed?.user === "string" && {
          metadata: { userId: request.passed.user },
        }),
      },
    },
  });
  try {
    for await (const part of parts) {
      if (code && part.type === "finish") yield* code.containerPart();
      yield code ? await withFileName(part, context) : part;
    }
  } catch (error) {
    throw container ? forgottenBy(error, isContainerGone) : error;
  }
}

const hasFiles = ({ turns }: RunRequest): boolean =>
  turns.some(({ role, parts }) => role === "user" && parts.some(({ type }) => type === "file"));

function citationsOf(metadata: unknown): JsonObject[] {
  const own = isRecord(metadata) ? metadata.anthropic : undefined;
  const citations = isRecord(own) ? own.citations : undefined;
  return Array.isArray(citations) ? (citations.filter(isRecord) as JsonObject[]) : [];
}

/**
 * Enables citations of PDFs and texts, which are free
 * (https://docs.claude.com/en/docs/build-with-claude/citations).
 */
const citeDocuments = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt =>
  prompt.map((message) =>
    message.role === "user"
      ? {
          ...message,
          content: message.content.map((part) =>
            part.type === "file" && /^(application\/pdf|text\/plain)$/.test(part.mediaType)
              ? {
                  ...part,
                  providerOptions: {
                    ...part.providerOptions,
                    anthropic: { ...part.providerOptions?.anthropic, citations: { enabled: true } },
                  },
                }
              : part,
          ),
        }
      : message,
  );
