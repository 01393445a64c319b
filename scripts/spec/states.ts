import type { importStates, RunState, toolStates } from "#contract/entities.ts";
import { runStateWords } from "#contract/run-states.ts";
import type { stateOfCircuit } from "#domain/runs/circuit.ts";
import { type RunStepType, transitions } from "#domain/runs/run-machine.ts";
import type { Database } from "#store/database/schema.ts";

type Step<S extends string> = readonly [from: S | "(new)", step: string, to: S | "(deleted)"];
type Machine<S extends string> = {
  is: string;
  /** Each state's meaning. */
  states: Readonly<Record<S, string>>;
  steps: readonly Step<S>[];
};
const machine = <S extends string>(facts: Machine<S>): Machine<S> => facts;

/** Each step of a run in words; its target is in the run machine's own table. */
export const runStepWords: Record<RunStepType, string> = {
  claimed: "A server claims it, with a new fence.",
  refused: "The provider provably did not accept it. It is retried later, or fails.",
  "passed-on": "The next model of the alias is tried.",
  lost: "Nobody can tell whether the provider accepted it.",
  repeated: "It is sent again with the same token, so the provider treats both as one.",
  "stream-began": "The answer is streaming.",
  "job-accepted": "The provider queued it as a job.",
  "answered-whole": "The complete answer arrived.",
  "provider-runs": "The provider is working on the job.",
  "provider-done": "The provider finished. The files are downloaded next.",
  stored: "Every file is saved.",
  "outputs-lost": "The provider no longer has the files.",
  found: "The provider has the job after all.",
  "said-not-made": "A person says that it did not run.",
  failed: "It ended with an error.",
  restarted: "A free model was interrupted before anything was saved, and starts over.",
  cancelled: "A person or program canceled it.",
};
const runStateMeaning: Record<RunState, string> = {
  queued: "Waits for a slot, or for approval (`waiting_for`).",
  submitting: "The request is being sent. There is no answer yet.",
  submitted: "The provider has it in its queue.",
  running: "The provider is working on it, or the answer is streaming.",
  storing: "Files are being downloaded and saved.",
  unconfirmed: "The provider may have run it. A person decides.",
  succeeded: "Final: everything is saved.",
  failed: "Final: what arrived is saved.",
  cancelled: "Final: what arrived is saved.",
};

type RunMachine = Machine<RunState> & { words: Record<RunState, string> };
export const runMachine: RunMachine = {
  is: "A run. One pure function decides every step (`src/domain/runs/run-machine.ts`).",
  states: runStateMeaning,
  words: runStateWords,
  steps: [
    ["(new)", "admitted", "queued"],
    ...transitions().map(({ from, step, to }): Step<RunState> => [from, step, to]),
  ],
};

/** By the column that holds the state; if there is none, by the object that has it. */
export const machines = {
  "attempt.state": machine<Database["attempt"]["state"]>({
    is: "An attempt at a run.",
    states: {
      committed: "Saved before anything is sent.",
      accepted: "The provider accepted it.",
      refused: "The provider provably did not accept it.",
      lost: "Nobody can tell.",
      ended: "The provider's answer is complete.",
    },
    steps: [
      ["(new)", "claimed", "committed"],
      ["committed", "job accepted", "accepted"],
      ["committed", "answered whole", "ended"],
      ["committed", "refused", "refused"],
      ["committed", "no answer", "lost"],
      ["accepted", "job done", "ended"],
      ["accepted", "job out of reach", "lost"],
      ["lost", "job found", "accepted"],
    ],
  }),
  "output.state": machine<Database["output"]["state"]>({
    is: "A file of a run.",
    states: {
      promised: "The provider has it. Bottega retries until it is saved.",
      fetching: "Reserved.",
      stored: "It is saved as an asset.",
      lost: "The provider deleted it before it was saved.",
    },
    steps: [
      ["(new)", "named by the answer", "promised"],
      ["(new)", "pinned from a live session", "stored"],
      ["promised", "downloaded", "stored"],
      ["promised", "expired", "lost"],
      ["lost", "fetched after all", "stored"],
    ],
  }),
  "blob.state": machine<Database["blob"]["state"]>({
    is: "The bytes of a file.",
    states: { stored: "In the storage.", deleting: "A server is deleting it." },
    steps: [
      ["(new)", "written", "stored"],
      ["stored", "not needed for an hour", "deleting"],
      ["deleting", "needed again", "stored"],
      ["deleting", "removed", "(deleted)"],
    ],
  }),
  "asset (`trashed_at`, `deleted_at`)": machine<"live" | "trashed" | "tombstone">({
    is: "An asset in the library.",
    states: {
      live: "In the library.",
      trashed: "In the trash for 30 days.",
      tombstone: "Text and file are gone. The row remains for the lineage.",
    },
    steps: [
      ["(new)", "saved", "live"],
      ["live", "deleted", "trashed"],
      ["trashed", "restored", "live"],
      ["trashed", "30 days later", "tombstone"],
    ],
  }),
  "upload.state": machine<Database["upload"]["state"]>({
    is: "An upload. Its row is written when its file is complete.",
    states: { open: "Reserved.", complete: "Its asset is saved.", aborted: "Reserved." },
    steps: [["(new)", "received completely", "complete"]],
  }),
  "conversation (`trashed_at`)": machine<"live" | "trashed">({
    is: "A conversation.",
    states: { live: "In the list.", trashed: "In the trash for 30 days." },
    steps: [
      ["(new)", "started", "live"],
      ["live", "deleted", "trashed"],
      ["trashed", "restored", "live"],
      ["trashed", "deleted permanently, or 30 days later", "(deleted)"],
    ],
  }),
  "message.state": machine<Database["message"]["state"]>({
    is: "A message.",
    states: {
      streaming: "Its run is writing it, or its tools are running.",
      complete: "Complete.",
      interrupted: "Interrupted. Its text so far is saved.",
    },
    steps: [
      ["(new)", "a person's message", "complete"],
      ["(new)", "an answer is requested", "streaming"],
      ["streaming", "run done", "complete"],
      ["streaming", "run failed or canceled", "interrupted"],
    ],
  }),
  "tool call (a message part)": machine<(typeof toolStates)[number]>({
    is: "A tool that a model called.",
    states: {
      open: "Waits for approval, or runs.",
      done: "The model gets its result.",
      failed: "The model gets its error.",
      refused: "A person declined it. The model is informed.",
      stopped: "Stopped while it ran. The round ends.",
    },
    steps: [
      ["(new)", "called", "open"],
      ["open", "finished", "done"],
      ["open", "failed", "failed"],
      ["open", "declined", "refused"],
      ["open", "stopped", "stopped"],
    ],
  }),
  "project_import.state": machine<(typeof importStates)[number]>({
    is: "An import of a project.",
    states: {
      open: "Files and rows are being read. Nobody sees the project.",
      done: "The importer is a member of the project.",
      failed: "Nothing of it remains.",
      cancelled: "Nothing of it remains.",
    },
    steps: [
      ["(new)", "archive received", "open"],
      ["open", "everything imported", "done"],
      ["open", "damaged, changed or too new", "failed"],
      ["open", "stopped", "cancelled"],
    ],
  }),
  "connection.status": machine<Database["connection"]["status"]>({
    is: "A connection.",
    states: {
      unchecked: "Not tested since it changed.",
      ok: "It worked when it was last used.",
      failing: "It failed when it was last used. `status_detail` says why.",
      disabled: "A person disabled it.",
    },
    steps: [
      ["(new)", "connected", "unchecked"],
      ["unchecked", "check passed", "ok"],
      ["unchecked", "check failed", "failing"],
      ["ok", "circuit opened or check failed", "failing"],
      ["failing", "request or check succeeded", "ok"],
      ["ok", "key or address changed", "unchecked"],
      ["failing", "key or address changed", "unchecked"],
      ["unchecked", "disabled", "disabled"],
      ["ok", "disabled", "disabled"],
      ["failing", "disabled", "disabled"],
      ["disabled", "enabled", "unchecked"],
    ],
  }),
  "circuit (`opened_at`, `paused_until`)": machine<ReturnType<typeof stateOfCircuit>>({
    is: "The circuit of a connection or a model.",
    states: {
      closed: "Everything is sent, and failures are counted.",
      open: "Nothing is sent, and runs wait.",
      "half-open": "The pause is over, and one probe decides.",
    },
    steps: [
      ["(new)", "first failure", "closed"],
      ["closed", "too many consecutive failures", "open"],
      ["closed", "success", "(deleted)"],
      ["open", "pause over", "half-open"],
      ["open", "key changed or check passed", "(deleted)"],
      ["half-open", "probe failed", "open"],
      ["half-open", "probe succeeded", "(deleted)"],
    ],
  }),
  "model.status": machine<Database["model"]["status"]>({
    is: "A model of the catalog.",
    states: {
      active: "Offered.",
      deprecated: "Offered, but its service will withdraw it.",
      gone: "No longer listed. It can't be used.",
    },
    steps: [
      ["(new)", "listed", "active"],
      ["active", "listed as deprecated", "deprecated"],
      ["active", "no longer listed", "gone"],
      ["deprecated", "no longer listed", "gone"],
      ["gone", "listed again", "active"],
    ],
  }),
  "webhook_out.status": machine<Database["webhook_out"]["status"]>({
    is: "A delivery to a webhook.",
    states: {
      waiting: "It will be sent at `next_at`.",
      delivered: "The address answered 2xx.",
      "given-up": "It failed for a day, or its address is paused or lost its owner.",
    },
    steps: [
      ["(new)", "an event happened", "waiting"],
      ["waiting", "answered 2xx", "delivered"],
      ["waiting", "failed, retried later", "waiting"],
      ["waiting", "last try failed", "given-up"],
      ["delivered", "sent again", "waiting"],
      ["given-up", "sent again", "waiting"],
      ["delivered", "30 days later", "(deleted)"],
      ["given-up", "30 days later", "(deleted)"],
    ],
  }),
  "run_webhook.status": machine<Database["run_webhook"]["status"]>({
    is: "The delivery to a run's webhook address.",
    states: {
      waiting:
        "Not delivered yet. When the run ends, `next_at` is set to the time of the first try.",
      delivered: "The address answered 2xx.",
      "given-up": "It failed for two hours, or the person who requested the run lost access.",
    },
    steps: [
      ["(new)", "run requested", "waiting"],
      ["waiting", "answered 2xx", "delivered"],
      ["waiting", "`unconfirmed` delivered", "waiting"],
      ["waiting", "failed, retried later", "waiting"],
      ["waiting", "last try failed, or answered 410", "given-up"],
      ["delivered", "30 days later", "(deleted)"],
      ["given-up", "30 days later", "(deleted)"],
    ],
  }),
  "user.status": machine<Database["user"]["status"]>({
    is: "A person.",
    states: { active: "May sign in.", suspended: "May not sign in. Sessions end, work remains." },
    steps: [
      ["(new)", "joined", "active"],
      ["active", "suspended", "suspended"],
      ["suspended", "restored", "active"],
    ],
  }),
  "invite (`used_at`, `expires_at`)": machine<"open" | "used" | "expired">({
    is: "An invitation or one-time link.",
    states: { open: "Can be used.", used: "Was used once.", expired: "Older than 7 days." },
    steps: [
      ["(new)", "created", "open"],
      ["open", "used", "used"],
      ["open", "7 days later", "expired"],
      ["open", "withdrawn", "(deleted)"],
    ],
  }),
};
