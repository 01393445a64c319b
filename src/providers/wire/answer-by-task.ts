import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { type AnswerPart, ProviderError, type RunContext, type RunRequest } from "../adapter.ts";

type Answer = (request: RunRequest, context: RunContext) => AsyncIterable<AnswerPart>;

/**
 * Answers each task in its own way.
 * @throws ProviderError provider_invalid_input for an unsupported task
 */
export const answerByTask =
  (answers: Partial<Record<Task, Answer>>): Answer =>
  (request, context) => {
    const answer = answers[request.task];
    if (!answer) throw taskNotOffered(request.task);
    return answer(request, context);
  };

export const taskNotOffered = (task: Task): ProviderError =>
  new ProviderError("provider_invalid_input", "no", {
    message: sentences.connections.taskNotOffered({ task }),
  });
