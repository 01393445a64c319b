import type { Caller } from "../server/instance.ts";
import type { LedgerEntry } from "./way.ts";

/** What resolving a run needs of the surrounding world. */
type Around = {
  person: Caller;
  untilState(runId: string, states: readonly string[], limitMs?: number): Promise<string>;
};

export type WayOn = {
  /**
   * found: the provider was asked and has it. decided: nothing was found or can be asked, and a
   * person decided that nothing was made.
   */
  by: "found" | "decided";
  /** The problems with it. */
  wrong: readonly string[];
};

/**
 * Resolves an unconfirmed run like a person: checks again where possible, and decides if nothing is
 * found.
 */
export async function takeWayOn(
  world: Around,
  runId: string,
  { ledger }: { ledger: readonly LedgerEntry[] },
): Promise<WayOn> {
  const { person } = world;
  const params = { runId };
  const seen = await person.call<{ askable: { canLook: boolean } }>("getRun", { params });
  if (seen.body.askable.canLook) {
    const looked = await person.call<{ found: boolean }>("lookAgain", { params });
    if (looked.status !== 200)
      return found([`to look again is answered ${looked.status} ${JSON.stringify(looked.body)}`]);
    if (looked.body.found) {
      const state = await world.untilState(runId, [
        "succeeded",
        "failed",
        "cancelled",
        "unconfirmed",
      ]);
      return found(state === "succeeded" ? [] : [`looked at again it is ${state}`]);
    }
    if (ledger.some(({ isBilled, token }) => isBilled && token))
      return found(["its job was made under a token, and is not found by it"]);
  }
  const decided = await person.call("resolveRun", { params, body: { outcome: "not-made" } });
  const state = await world.untilState(runId, ["succeeded", "failed", "cancelled"], 4_000);
  const isOpen = decided.status !== 200 || state === "unconfirmed";
  return {
    by: "decided",
    wrong: isOpen ? [`to decide is answered ${decided.status}, and it is ${state}`] : [],
  };
}

const found = (wrong: readonly string[]): WayOn => ({ by: "found", wrong });
