import { sentences } from "#contract/sentences/index.ts";
import { lockConnection } from "../../models/connections.ts";
import { noteAfterEnd } from "../../runs/ended-runs.ts";
import type { Unit } from "../../runs/unit.ts";
import { listRunsWaitingFor } from "../../webhooks/webhooks-in.ts";

/** More runs than this are not noted, so that the unit stays short. */
const maxNoted = 500;

/**
 * Notes on each ended run that its result can't be read any more, before its waiting webhooks are
 * deleted with their connection.
 */
export async function noteUnreadResults(unit: Unit, connectionId: string): Promise<void> {
  const message = sentences.runs.jobConnectionGone;
  const warning = { type: "late", feature: "result", message };
  await lockConnection(unit.tx, connectionId);
  for (const runId of await listRunsWaitingFor(unit.tx, connectionId, maxNoted))
    await noteAfterEnd(unit, {
      runId,
      events: [{ type: "warning", payload: warning }],
      warnings: (before) => [...before, warning],
    });
}
