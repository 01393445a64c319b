import type { ConnectionKind } from "../adapter.ts";

/** Bottega's own models: free, without key and network. They never call `context.fetch`. */
export const builtinKind: ConnectionKind = {
  kind: "builtin",
  name: "Built in",
  summary:
    "Works without a key and offline: a guide, procedural pictures, a voice, upscaling and edits.",
  group: "own",
  docs: "docs/providers/builtin.md",
  runsOn: "local",
  builtin: true,
  free: true,
  lacks: ["tools", "answerShape"],
  fields: [],
  addresses: {},
  tasks: ["chat", "image", "live", "speech", "upscale", "edit"],
  // Each run except the guide's has a thread. More at once would slow each other down and use
  // memory.
  localSlots: 4,
};
