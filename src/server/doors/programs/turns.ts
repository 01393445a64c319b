import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { StoredPart, StoredTurn } from "#engine/plan/turns.ts";
import type { EarlierAnswers } from "./earlier-answers.ts";

export const textPart = (text: string): StoredPart[] =>
  text === "" ? [] : [{ type: "text", text }];

/**
 * Collects the turns of a request. Results of one turn's calls become one turn. Files from tools go
 * into a user turn after it, because most models read pictures nowhere else.
 */
export function createTurns(answers: Pick<EarlierAnswers, "called">, before: StoredTurn[] = []) {
  const turns: StoredTurn[] = [...before];
  let given: StoredPart[] = [];
  /**
   * The turn of each call and the turn of its results: searching all turns for each result would
   * block the server for seconds in a request with very many.
   */
  const askedIn = new Map<string, StoredTurn>();
  const answeredIn = new Map<StoredTurn, StoredTurn>();
  const note = (turn: StoredTurn, parts: readonly StoredPart[]): void => {
    for (const part of parts) if (part.type === "tool-call") askedIn.set(part.callId, turn);
  };
  for (const turn of before) note(turn, turn.parts);
  const push = (turn: StoredTurn): void => {
    turns.push(turn);
    note(turn, turn.parts);
  };
  const giveFiles = (): void => {
    if (given.length > 0) turns.push({ role: "user", parts: given });
    given = [];
  };
  return {
    add(role: "system" | "user" | "assistant", parts: StoredPart[]): void {
      if (role === "user" && given.length > 0) {
        turns.push({ role, parts: [...given, ...parts] });
        given = [];
        return;
      }
      giveFiles();
      push({ role, parts });
    },
    /** Adds to the last turn if it has this role. */
    extend(role: "assistant", parts: StoredPart[]): void {
      if (parts.length === 0) return;
      giveFiles();
      const last = turns.at(-1);
      if (last?.role === role) {
        last.parts.push(...parts);
        note(last, parts);
      } else push({ role, parts });
    },
    /**
     * @param at the field of the request
     * @throws Problem invalid_input for the result of an unknown call
     */
    addResult(callId: string, parts: StoredPart[], at: string, failed = false): void {
      const call = answers.called(callId);
      if (!call)
        throw new Problem("invalid_input", { field: at, message: sentences.api.toolCallMissing });
      const files = parts.filter(({ type }) => type === "file");
      const joinedText = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      const result: StoredPart = {
        type: "tool-result",
        ...call,
        output: joinedText === "" && files.length > 0 ? sentences.api.filesFollow : joinedText,
        ...(failed && { failed }),
      };
      // Placed directly after its call, whatever the request has between them, because providers
      // accept it nowhere else.
      const asked = askedIn.get(call.callId);
      const answered = asked && answeredIn.get(asked);
      if (answered) answered.parts.push(result);
      else {
        const place = asked ? turns.lastIndexOf(asked) + 1 : turns.length;
        const next = asked ? turns[place] : turns.at(-1);
        const turn: StoredTurn = next?.role === "tool" ? next : { role: "tool", parts: [] };
        turn.parts.push(result);
        if (turn !== next) turns.splice(place, 0, turn);
        if (asked) answeredIn.set(asked, turn);
      }
      given.push(...files);
    },
    end(): StoredTurn[] {
      giveFiles();
      return turns;
    },
  };
}
export type Turns = ReturnType<typeof createTurns>;
