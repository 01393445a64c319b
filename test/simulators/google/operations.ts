import type { Behaviour, Gates } from "../kit/behaviour.ts";

/** A film moves on with each question, unless a gate of its script holds it. */
type Operation = { asked: number; held: boolean; behaviour: Behaviour };

/** What Veo is asked to make. A script's finish reason SAFETY is its filter, ERROR a film that came to nothing; an error event is what it says of itself. */
export function createOperations() {
  const operations = new Map<string, Operation>();
  return {
    begin(behaviour: Behaviour, gates: Gates): string {
      const id = `op${operations.size + 1}`;
      const operation = { asked: 0, held: behaviour.gate !== undefined, behaviour };
      operations.set(id, operation);
      if (behaviour.gate) {
        void gates.wait(behaviour.gate.name).then(() => {
          operation.held = false;
        });
      }
      return id;
    },
    /** `name` and what else is known by now; undefined for one that is not there. `made` says what a finished one holds. */
    read(id: string, name: string, made: { films: object; filtered: object }): object | undefined {
      const operation = operations.get(id);
      if (!operation) return undefined;
      operation.asked++;
      if (operation.held || operation.asked < 2) return { name };
      const { finishReason, fault } = operation.behaviour;
      if (fault?.kind === "error-event") return { name, done: true, error: fault.error };
      if (finishReason === "ERROR")
        return {
          name,
          done: true,
          error: { code: 13, message: "Video generation failed due to an internal error." },
        };
      return { name, done: true, response: finishReason === "SAFETY" ? made.filtered : made.films };
    },
  };
}

/** What a filtered film says of itself. */
export const filtered = {
  raiMediaFilteredCount: 1,
  raiMediaFilteredReasons: ["The audio was filtered. You were not charged."],
};

/** The bytes of each film: enough of an MP4 to be known as one. */
export const film = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from("ftypisom"),
  Buffer.alloc(2_000, 7),
]);
