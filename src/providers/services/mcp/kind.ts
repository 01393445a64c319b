import type { CallContext, ConnectionKind } from "../../adapter.ts";

/** How to reach a server: at a URL, or as a program that is started here. */
const reaches = ["address", "address and sign-in", "program"] as const;

/**
 * A tool server, by the Model Context Protocol
 * (https://modelcontextprotocol.io/specification/2025-11-25) through its official client, which
 * loads with the first call. Each tool is a model with the task "tool" (docs/decisions/0017).
 */
export const mcpKind: ConnectionKind = {
  kind: "mcp",
  name: "Tools (MCP)",
  summary: "A tool server for models in a conversation.",
  group: "tools",
  docs: "mcp.md",
  localSlots: 4,
  fields: [
    {
      name: "reach",
      label: "Connection type",
      kind: "choice",
      required: false,
      choices: [...reaches],
    },
    {
      name: "server",
      label: "Address",
      kind: "url",
      required: true,
      address: "server",
      placeholder: "https://tools.example.org/mcp",
      hint: "The server’s endpoint for Streamable HTTP. It often ends in /mcp.",
      when: { field: "reach", is: ["address", "address and sign-in"] },
    },
    {
      name: "key",
      label: "Key",
      kind: "secret",
      required: false,
      hint: "Sent as a bearer token. Empty if the server requires none.",
      when: { field: "reach", is: ["address"] },
    },
    {
      name: "header",
      label: "Key header",
      kind: "text",
      required: false,
      advanced: true,
      placeholder: "Authorization",
      hint: "Only if the server reads the key from another header.",
      when: { field: "reach", is: ["address"] },
    },
    {
      name: "clientId",
      label: "Client ID",
      kind: "text",
      required: false,
      hint: "Only for a server without dynamic registration: the client ID of an app that you registered there.",
      when: { field: "reach", is: ["address and sign-in"] },
    },
    {
      name: "clientSecret",
      label: "Client secret",
      kind: "secret",
      required: false,
      hint: "The client secret of that app, if it has one.",
      when: { field: "reach", is: ["address and sign-in"] },
    },
    {
      name: "signInServer",
      label: "Sign-in server",
      kind: "url",
      required: false,
      advanced: true,
      address: "signIn",
      placeholder: "https://login.example.org",
      hint: "Only if people sign in at another address in your network. Sign-ins then only go there.",
      when: { field: "reach", is: ["address and sign-in"] },
    },
    {
      name: "command",
      label: "Command",
      kind: "text",
      required: true,
      placeholder: "npx -y @modelcontextprotocol/server-everything",
      hint: "Runs on the server with the server’s permissions. Only for everyone, and only if the operator allows it.",
      when: { field: "reach", is: ["program"] },
    },
    {
      name: "environment",
      label: "Environment variables",
      kind: "secret",
      required: false,
      placeholder: "API_KEY=…",
      hint: "NAME=value, separated by spaces. The program gets these and almost none of the server’s variables.",
      when: { field: "reach", is: ["program"] },
    },
    {
      name: "trust",
      label: "Trust read-only tools",
      kind: "choice",
      required: false,
      advanced: true,
      choices: ["no", "yes"],
      hint: "Yes: tools marked read-only run without approval. Only for a server that you trust.",
    },
  ],
  signInWhen: { field: "reach", is: "address and sign-in" },
  signInAddress: "signIn",
  addresses: {},
  tasks: ["tool"],
};

/** Whether people sign in at this connection's server. */
export const asksForSignIn = ({
  connection: { options },
}: Pick<CallContext, "connection">): boolean => options.reach === mcpKind.signInWhen?.is;
