import type { QuestionAction, RunEventPayloads } from "#contract/events.ts";
import type { JsonObject } from "#contract/json.ts";
import { activeStates } from "#domain/runs/run-machine.ts";
import { fromJson } from "../database/json.ts";
import type { Reader } from "../database/store.ts";
import type { OwnedRun } from "./run-rows.ts";
import { appendRunEvents, insertEvents, lockRun, updateSeq } from "./runs.ts";
import type { Unit } from "./unit.ts";

export type Question = RunEventPayloads["question"];
export type QuestionAnswer = { action: QuestionAction; content?: JsonObject };

/**
 * Records a tool's question in the run's log.
 * @throws Fenced
 */
export const insertQuestion = (
  unit: Unit,
  run: Pick<OwnedRun, "id" | "fence">,
  question: Question,
): Promise<void> => appendRunEvents(unit, run, [{ type: "question", payload: question }], {});

const listQuestionEvents = (db: Reader, runId: string) =>
  db
    .selectFrom("run_event")
    .select(["type", "payload"])
    .where("run_id", "=", runId)
    .where("type", "in", ["question", "question-answered"])
    .orderBy("seq")
    .execute();

/**
 * Finds a question by its id, with its answer if it has one; undefined when there is no such
 * question.
 */
export async function findQuestion(
  db: Reader,
  runId: string,
  questionId: string,
): Promise<{ question: Question; answer: QuestionAnswer | undefined } | undefined> {
  const events = (await listQuestionEvents(db, runId)).map(({ type, payload }) => ({
    type,
    payload: fromJson<{ id: string }>(payload),
  }));
  const of = (type: string) =>
    events.find((event) => event.type === type && event.payload.id === questionId)?.payload;
  const question = of("question") as Question | undefined;
  return question && { question, answer: of("question-answered") as QuestionAnswer | undefined };
}

/**
 * Records an answer; only the first one counts.
 * @returns false when the question was already answered or its run has ended
 */
export async function answerQuestion(
  unit: Unit,
  runId: string,
  questionId: string,
  answer: QuestionAnswer,
): Promise<boolean> {
  const run = await lockRun(unit.tx, runId);
  const found = await findQuestion(unit.tx, runId, questionId);
  const isActive = run && (activeStates as readonly string[]).includes(run.state);
  if (!isActive || !found || found.answer) return false;
  await updateSeq(unit.tx, runId, run.lastSeq + 1);
  await insertEvents(unit, runId, run.lastSeq, [
    { type: "question-answered", payload: { id: questionId, ...answer } },
  ]);
  return true;
}
