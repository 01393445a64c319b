import type { JsonObject } from "#contract/json.ts";
import type { AnswerPart, ToolCall } from "../adapter.ts";
import { toToolCall } from "../wire/tool-call.ts";

type Call = { id: string; name: string; text: string; end: ToolCall | null; isTold: boolean };
type Metadata = { [provider: string]: JsonObject } | undefined;

/**
 * Brings the calls of an answer into the order in which they begin, with their arguments exactly as
 * they arrive: some clients parse them and write them again. Each call is read once, because a
 * gateway may send an answer twice.
 */
export function createCallOrder() {
  const calls: Call[] = [];
  const find = (id: string): Call | undefined => calls.find((call) => call.id === id);

  function begin(id: string, name: string): Call {
    const call: Call = { id, name, text: "", end: null, isTold: false };
    calls.push(call);
    return call;
  }
  const pieceOf = (call: Call, text: string): AnswerPart[] => [
    { type: "tool-call-piece", place: calls.indexOf(call), name: call.name, text },
  ];
  /** Takes the calls that have ended, up to the first one that hasn't. */
  function takeEnded(): AnswerPart[] {
    const parts: AnswerPart[] = [];
    for (const call of calls) {
      if (!call.end) break;
      if (!call.isTold) parts.push(call.end);
      call.isTold = true;
    }
    return parts;
  }
  function endCall(call: Call, input: string, providerMetadata?: Metadata): void {
    const written = call.text.trim() === "" ? input : call.text;
    call.end = {
      ...toToolCall(call.id, call.name, written),
      ...(providerMetadata && { providerMetadata }),
    };
  }

  return {
    count: () => calls.length,
    begin: (id: string, name: string): AnswerPart[] =>
      find(id) ? [] : pieceOf(begin(id, name), ""),
    add(id: string, text: string): AnswerPart[] {
      const call = find(id);
      if (!call || call.end || text === "") return [];
      call.text += text;
      return pieceOf(call, text);
    },
    end(given: { id: string; name: string; input: string; metadata: Metadata }): AnswerPart[] {
      const call = find(given.id) ?? begin(given.id, given.name);
      if (call.end) return [];
      endCall(call, given.input, given.metadata);
      return takeEnded();
    },
    /**
     * Ends the calls that the model broke off, such as at its limit. They never run without their
     * arguments.
     */
    endAll(): AnswerPart[] {
      for (const call of calls) {
        if (call.end) continue;
        endCall(call, call.text);
        if (call.text.trim() === "") call.end = { ...call.end!, malformed: call.text };
      }
      return takeEnded();
    },
  };
}
