/** Tool servers and tool calls. */
export const tools = {
  notMcp: "The address responded, but not with the Model Context Protocol.",
  tooSlow: "The tool server took too long to answer.",
  exited: "The tool server has stopped.",
  keyRefused: "The tool server did not accept the key.",
  keyNotAllowed: "The tool server does not allow this with this key.",
  questionOver: "The tool is no longer waiting for this answer. Ask the model to try again.",
  sessionLost: "The tool server lost the session.",
  rateLimited: "The tool server limits the rate of requests.",
  failed: "The tool server failed.",
  httpStatus: ({ status }: { status: number }) =>
    `The address returned ${status}, but not as a tool server.`,
  programsOff:
    "This server does not run tool programs. Its operator can set BOTTEGA_TOOL_PROGRAMS=1, then an admin can add one for everyone.",
  noCommand: "The command is missing.",
  variableForm: "Write each variable as NAME=value.",
  programNotFound: "The command was not found on the server.",
  programNotMcp: "The program does not answer as a tool server.",
  noResult: "The tool server ended its answer without a result.",
  leftOut: ({ tools }: { tools: string }) => `Left out: ${tools}.`,
  quote: ({ words }: { words: string }) => `The tool server says: ${words}`,
  noLongerAllowed: "The caller no longer has permission to do this.",
  stoppedByYou: "You stopped a tool, so the model was not asked again.",
  tooManyRounds: ({ rounds }: { rounds: number }) =>
    `The model has called tools ${rounds} times in a row. Send a message to continue.`,
  tooManyAtOnce: "Too many tools were called at once. Call fewer.",
  declined: "The person declined this call.",
  noText: "The tool returned no text.",
  nothingFound: "No files found.",
  failedPlainly: "The tool failed.",
};
