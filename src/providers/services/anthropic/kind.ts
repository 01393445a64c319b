import { hostedKind } from "../../wire/kind-fields.ts";

/** Anthropic's Messages API. */
export const anthropicKind = hostedKind({
  kind: "anthropic",
  name: "Anthropic",
  summary: "Claude, with thinking, tools, pictures and PDF.",
  group: "language",
  runsOn: "hosted",
  keyHint: "From console.anthropic.com, under API keys.",
  api: "https://api.anthropic.com/v1",
  environmentKeys: ["ANTHROPIC_API_KEY"],
  tasks: ["chat"],
  passes: ["top_k", "parallel_tool_calls", "thinking_budget", "user"],
  needsOutputLimit: true,
  countsTokens: true,
  citesDocuments: true,
});
