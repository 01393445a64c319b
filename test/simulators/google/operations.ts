import type { Behaviour, Gates } from "../kit/behaviour.ts";

/** Each poll advances a video, unless a gate of its script holds it. */
type Operation = { asked: number; held: boolean; behaviour: Behaviour };

/**
 * Veo's operations. A script's finish reason SAFETY is its filter, ERROR a failed video; an error
 * event is the video's own error.
 */
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
    /**
     * `name` and everything known so far; undefined for an unknown operation. `made` is the content
     * of a finished one.
     */
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

/** A filtered video's fields. */
export const filtered = {
  raiMediaFilteredCount: 1,
  raiMediaFilteredReasons: ["The audio was filtered. You were not charged."],
};

/** Each video's bytes: enough of an MP4 to be recognized. */
export const film = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from("ftypisom"),
  Buffer.alloc(2_000, 7),
]);
