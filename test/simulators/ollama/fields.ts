/** The fields that each endpoint knows (docs.ollama.com, API reference), and their types. Anything else is refused. */
type Kind = "string" | "number" | "boolean" | "object" | "array" | "any";

const options: Record<string, Kind> = {
  num_ctx: "number",
  num_predict: "number",
  temperature: "number",
  top_p: "number",
  top_k: "number",
  min_p: "number",
  seed: "number",
  stop: "array",
  repeat_penalty: "number",
};
const endpoints: Record<string, Record<string, Kind>> = {
  chat: {
    model: "string",
    messages: "array",
    stream: "boolean",
    think: "any",
    format: "any",
    tools: "array",
    keep_alive: "any",
    options: "object",
  },
  embed: { model: "string", input: "any", dimensions: "number", truncate: "boolean", keep_alive: "any", options: "object" },
  show: { model: "string", verbose: "boolean" },
  pull: { model: "string", name: "string", stream: "boolean", insecure: "boolean" },
  delete: { model: "string", name: "string" },
};
const message: Record<string, Kind> = {
  role: "string",
  content: "string",
  thinking: "string",
  images: "array",
  tool_calls: "array",
  tool_name: "string",
};

/** Null, or the sentence it is refused with. Lenient real servers would pass over what is wrong here, and so would its bug. */
export function refuseBody(endpoint: string, body: unknown): string | null {
  const known = endpoints[endpoint];
  if (!known || !isRecord(body)) return "invalid request body";
  const wrong = mismatch(body, known) ?? (isRecord(body.options) ? mismatch(body.options, options) : null);
  if (wrong) return wrong;
  if (typeof (body.model ?? body.name) !== "string") return "model is required";
  for (const entry of Array.isArray(body.messages) ? body.messages : []) {
    if (!isRecord(entry)) return "invalid message";
    const problem = mismatch(entry, message);
    if (problem) return problem;
    if (!["system", "user", "assistant", "tool"].includes(String(entry.role))) return `invalid role "${entry.role}"`;
  }
  return null;
}

function mismatch(body: Record<string, unknown>, known: Record<string, Kind>): string | null {
  for (const [name, value] of Object.entries(body)) {
    const kind = known[name];
    if (!kind) return `unknown field "${name}"`;
    const actual = Array.isArray(value) ? "array" : typeof value;
    if (kind !== "any" && actual !== kind) return `field "${name}" should be ${kind}`;
  }
  return null;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
