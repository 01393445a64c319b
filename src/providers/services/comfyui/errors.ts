import type { ErrorCode } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { type ErrorFields, isRecord, redact } from "../../wire/error-fields.ts";
import { readText, toHttpError } from "../../wire/http-errors.ts";
import { type Graph, namesIn } from "./graph.ts";
import type { OpenInput } from "./open-inputs.ts";

/** One fault of a node's input, as reported by the validation of POST /prompt (execution.py). */
export type NodeError = { nodeId: string; input: string | null; message: string; details: string };

/**
 * Refused before anything is queued: {error: {type, message, details}, node_errors: {"3": {errors:
 * […]}}}.
 */
const byType: Record<string, ErrorCode> = {
  missing_node_type: "model_gone",
  invalid_prompt_id: "provider_protocol",
};
const classify = ({ type = "" }: ErrorFields): ErrorCode | undefined => byType[type];

/**
 * Builds the error of a response outside of 2xx. The server's messages about single inputs are in
 * `detail.nodeErrors`, for a caller that knows their names.
 */
export async function toComfyError(
  response: Response,
  context: CallContext,
  method: string,
): Promise<ProviderError> {
  const copy = response.status === 400 ? response.clone() : null;
  const asked = { method, secret: context.connection.secret, now: context.clock.now() };
  const error = await toHttpError(response, asked, classify);
  const nodeErrors = copy
    ? readNodeErrors(await readText(copy, 4 * 1024 ** 2).catch(() => ""), asked.secret)
    : [];
  return nodeErrors.length === 0
    ? error
    : new ProviderError(error.code, error.accepted, { ...error.detail, nodeErrors });
}

function readNodeErrors(text: string, secret: string | null): NodeError[] {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? toNodeErrors(body.node_errors, secret) : [];
  } catch {
    return [];
  }
}

export function toNodeErrors(nodeErrors: unknown, secret: string | null): NodeError[] {
  if (!isRecord(nodeErrors)) return [];
  return Object.entries(nodeErrors).flatMap(([nodeId, node]) =>
    (isRecord(node) && Array.isArray(node.errors) ? node.errors : [])
      .filter(isRecord)
      .map((error): NodeError => {
        const { input_name: input } = isRecord(error.extra_info) ? error.extra_info : {};
        const [message, details] = [error.message, error.details].map((words) =>
          redact(String(words), secret),
        );
        return {
          nodeId,
          input: typeof input === "string" ? input : null,
          message: message!,
          details: details!,
        };
      }),
  );
}

/** Rewrites the refusal in terms of the form: the field and its fault. */
export function nameFields(
  error: ProviderError,
  graph: Graph,
  inputs: readonly OpenInput[],
): ProviderError {
  const { nodeErrors, ...detail } = error.detail;
  const [first] = (nodeErrors ?? []) as NodeError[];
  if (!first) return error;
  const field = inputs.find(
    ({ nodeId, input }) => nodeId === first.nodeId && input === first.input,
  )?.name;
  return new ProviderError(error.code, error.accepted, {
    ...detail,
    message: describe(first, graph),
    ...(field && { field }),
  });
}

export const describe = ({ nodeId, message, details }: NodeError, graph: Graph): string =>
  sentences.workflows.nodeFailed({ node: namesIn(graph)(nodeId), message, details }).slice(0, 500);

const outOfMemory = /out ?of ?memory|OutOfMemory|Allocation on device/i;

/**
 * Builds the error of a workflow that failed while running, from the message `execution_error`, the
 * job's last.
 */
export function toExecutionError(
  data: Record<string, unknown>,
  graph: Graph,
  secret: string | null,
): ProviderError {
  const node = namesIn(graph)(String(data.node_id));
  const exceptionMessage = redact(String(data.exception_message ?? "").trim(), secret).slice(
    0,
    400,
  );
  const reason = String(data.exception_type ?? "").slice(0, 100);
  if (outOfMemory.test(`${reason} ${exceptionMessage}`)) {
    const message = `ComfyUI ran out of memory in “${node}”. A smaller size, fewer at once or a smaller model needs less. It says: ${exceptionMessage}`;
    return new ProviderError("provider_overloaded", "yes", { message, reason, final: true });
  }
  return new ProviderError("provider_interrupted", "yes", {
    message: sentences.workflows.nodeCrashed({ node, reason: exceptionMessage }),
    reason,
    final: true,
  });
}
