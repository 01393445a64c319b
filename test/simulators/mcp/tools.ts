/** The simulator's tools, with their descriptions and results. */
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export type SimulatedTool = {
  name: string;
  title?: string;
  description: string;
  inputSchema: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  execution?: { taskSupport: "forbidden" | "optional" | "required" };
};
const text = (description: string) => ({ type: "string", description });

export const simulatedTools: readonly SimulatedTool[] = [
  {
    name: "add_note",
    title: "Add a note",
    description: "Writes a note down.",
    inputSchema: {
      type: "object",
      properties: { text: { ...text("What it says."), pattern: "^(a+)+$" } },
      required: ["text"],
      additionalProperties: false,
    },
  },
  {
    name: "read-notes",
    description: "Reads all notes.",
    inputSchema: { type: "object", properties: {} },
    annotations: { readOnlyHint: true },
  },
  {
    name: "draw.pixel",
    description: "Draws one dot.",
    inputSchema: { type: "object", properties: { link: { type: "string", format: "uri" } } },
  },
  { name: "fail", description: "Does not work.", inputSchema: { type: "object" } },
];

/** A call's result, as `result` of its answer. */
export function resultOf(name: string, input: Record<string, unknown>, notes: string[]): object {
  if (name === "add_note") {
    notes.push(String(input.text));
    return { content: [{ type: "text", text: `Noted: ${input.text}` }] };
  }
  if (name === "read-notes")
    return { content: [{ type: "text", text: notes.join("\n") || "No notes." }] };
  if (name === "draw.pixel")
    return {
      content: [
        { type: "text", text: "One dot." },
        { type: "image", data: pixel, mimeType: "image/png" },
        { type: "resource_link", uri: "http://169.254.169.254/latest", name: "more" },
      ],
    };
  return { content: [{ type: "text", text: "<b>It does not work.</b>" }], isError: true };
}
