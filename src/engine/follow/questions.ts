import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { checkInput } from "#domain/schemas/input-schema.ts";
import type { AskedQuestion } from "#providers/adapter.ts";
import {
  answerQuestion,
  findQuestion,
  insertQuestion,
  type QuestionAnswer,
} from "#store/runs/questions.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { runHint } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";

/** Between two checks, in case the notification of an answer at another server is lost. */
const pollMs = 2_000;

/**
 * Asks the person in the chat on behalf of this run's tool and waits for the answer, which can
 * arrive at any server. An unanswered or withdrawn question counts as `cancel`.
 * @throws the signal's reason
 */
export async function askPerson(
  deps: EngineDeps,
  run: Pick<OwnedRun, "id" | "fence">,
  asked: AskedQuestion,
  { signal, withdrawn }: { signal: AbortSignal; withdrawn: AbortSignal | undefined },
): Promise<QuestionAnswer> {
  const id = deps.ids();
  const expiresAt = deps.clock.now() + limits.toolQuestionMs;
  await deps.commit((unit) => insertQuestion(unit, run, { id, ...asked, expiresAt }));
  for (let isOver = false; ; ) {
    const { answer } = (await findQuestion(deps.store.read, run.id, id)) ?? {};
    if (answer) return answer;
    // An ended run accepts no more writes.
    if (isOver) return { action: "cancel" };
    isOver = deps.clock.now() >= expiresAt || withdrawn?.aborted === true;
    if (isOver) await deps.commit((unit) => answerQuestion(unit, run.id, id, { action: "cancel" }));
    else await untilNews(deps, run.id, { signal, withdrawn });
  }
}

/**
 * Waits for a change of the run, the question's withdrawal, or a moment.
 * @throws the signal's reason
 */
function untilNews(
  { hub }: EngineDeps,
  runId: string,
  { signal, withdrawn }: { signal: AbortSignal; withdrawn: AbortSignal | undefined },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      deaf();
      signal.removeEventListener("abort", end);
      withdrawn?.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, pollMs);
    const deaf = hub.subscribe(runHint(runId), end);
    signal.addEventListener("abort", end, { once: true });
    withdrawn?.addEventListener("abort", end, { once: true });
    if (signal.aborted || withdrawn?.aborted) end();
  });
}

/**
 * @throws Problem conflict if nothing waits for the answer anymore; invalid_input with the field
 */
export async function answerPersonsQuestion(
  deps: EngineDeps,
  runId: string,
  questionId: string,
  answer: QuestionAnswer,
): Promise<void> {
  const found = await findQuestion(deps.store.db, runId, questionId);
  const gone = new Problem("conflict", { message: sentences.tools.questionOver });
  if (!found) throw gone;
  if (answer.content) {
    if (JSON.stringify(answer.content).length > limits.toolQuestionCharacters)
      throw new Problem("too_large");
    const [issue] = checkInput(found.question.schema, answer.content);
    if (issue)
      throw new Problem("invalid_input", {
        field: issue.field ? `content.${issue.field}` : "content",
        message: issue.message,
      });
  }
  if (!(await deps.commit((unit) => answerQuestion(unit, runId, questionId, answer)))) throw gone;
}
