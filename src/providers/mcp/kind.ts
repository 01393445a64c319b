import type { ConnectionKind } from "../adapter.ts";

/**
 * A server of tools, by the Model Context Protocol (https://modelcontextprotocol.io/specification/2025-11-25) through its official
 * client, which is loaded with the first call. Each tool is a model of the task "tool" (docs/decisions/0017).
 */
export const mcpKind: ConnectionKind = {
  kind: "mcp",
  name: "Tools (MCP)",
  summary: "A server of tools, for models to use in a conversation.",
  docs: "mcp.md",
  fields: [
    {
      name: "server",
      label: "Address",
      kind: "url",
      required: true,
      address: "server",
      placeholder: "https://tools.example.org/mcp",
      hint: "The server's endpoint for Streamable HTTP; it often ends in /mcp.",
    },
    {
      name: "key",
      label: "Key",
      kind: "secret",
      required: false,
      hint: "Sent as a bearer token. Left empty for a server that asks for none.",
    },
    {
      name: "header",
      label: "Header of the key",
      kind: "text",
      required: false,
      advanced: true,
      placeholder: "Authorization",
      hint: "Another one, where the server reads the key from there.",
    },
    {
      name: "trust",
      label: "Believe which tools only read",
      kind: "choice",
      required: false,
      advanced: true,
      choices: ["no", "yes"],
      hint: "With yes, a tool that says of itself that it changes nothing is used without asking first. Only for a server that you trust.",
    },
  ],
  addresses: {},
  tasks: ["tool"],
};
