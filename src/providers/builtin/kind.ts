import type { ConnectionKind } from "../adapter.ts";

/** What Bottega can do by itself: free, without a key and without a network. It never calls `context.fetch`. */
export const builtinKind: ConnectionKind = {
  kind: "builtin",
  name: "Built in",
  summary:
    "Works without a key and offline: a guide, procedural pictures, a voice, upscaling and edits.",
  docs: "docs/providers/builtin.md",
  runsOn: "local",
  builtin: true,
  free: true,
  lacks: ["tools", "answerShape"],
  fields: [],
  addresses: {},
  tasks: ["chat", "image", "live", "speech", "upscale", "edit"],
  // Each run but the guide's has a thread; more of them at once only make each slower and take memory.
  localPlaces: 4,
};
