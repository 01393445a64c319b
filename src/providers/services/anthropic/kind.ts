import type { ConnectionKind } from "../../adapter.ts";

/** Anthropic's Messages API. */
export const anthropicKind: ConnectionKind = {
  kind: "anthropic",
  name: "Anthropic",
  summary: "Claude, with thinking, tools, pictures and PDF.",
  docs: "anthropic.md",
  runsOn: "hosted",
  fields: [
    {
      name: "key",
      label: "API key",
      kind: "secret",
      required: true,
      hint: "From console.anthropic.com, under API keys.",
    },
    {
      name: "api",
      label: "Base URL",
      kind: "url",
      required: false,
      address: "api",
      advanced: true,
      placeholder: "https://api.anthropic.com/v1",
    },
  ],
  addresses: { api: "https://api.anthropic.com/v1" },
  environmentKeys: ["ANTHROPIC_API_KEY"],
  tasks: ["chat"],
  needsOutputLimit: true,
};
