import type { Json } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type CallContext,
  type JobHandle,
  type JobResult,
  type ProducedFile,
  ProviderError,
} from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { openSigned, withHeaders } from "../../wire/open-file.ts";
import { comfyUrl, keyHeader } from "./call.ts";
import { toExecutionError } from "./errors.ts";
import { type HistoryEntry, readHistoryEntry } from "./jobs.ts";

/**
 * Returns a job's results.
 * @throws ProviderError, `final` when the job itself has failed
 */
export async function readResult({ id }: JobHandle, context: CallContext): Promise<JobResult> {
  const ended = await readHistoryEntry(id, context);
  if (!ended)
    throw new ProviderError("provider_interrupted", "yes", {
      message: sentences.workflows.jobUnknown,
      final: true,
    });
  const failure = failureOf(ended, context.connection.secret);
  if (failure) throw failure;
  const files = filesOf(ended, context);
  const text = textOf(ended);
  if (files.length === 0 && text === "") {
    const message = sentences.workflows.endedEmpty;
    throw new ProviderError("provider_interrupted", "yes", { message, final: true });
  }
  return { files, result: text === "" ? {} : { text }, usage: {} };
}

/** `status.messages` contains the socket's messages. Servers before 2024 have no status. */
function failureOf({ entry, status }: HistoryEntry, secret: string | null): ProviderError | null {
  if (status?.status_str !== "error") return null;
  const messages = (Array.isArray(status.messages) ? status.messages : []).filter(Array.isArray);
  const [kind, data] =
    messages.findLast(([name]) => name === "execution_error" || name === "execution_interrupted") ??
    [];
  if (kind === "execution_error" && isRecord(data))
    return toExecutionError(data, entry?.graph ?? {}, secret);
  const message =
    kind === "execution_interrupted" ? sentences.workflows.interrupted : sentences.workflows.failed;
  return new ProviderError("provider_interrupted", "yes", { message, final: true });
}

type SavedFile = { filename: string; subfolder: string; type: string };

/**
 * Collects every list of files of every node, under any name (images, gifs, audio, video, 3d).
 * Previews only if nothing is saved.
 */
function filesOf({ outputs }: HistoryEntry, context: CallContext): ProducedFile[] {
  const all = Object.values(outputs).flatMap((output) =>
    isRecord(output) ? Object.values(output).flatMap(toSaved) : [],
  );
  const saved = all.filter(({ type }) => type === "output");
  return (saved.length > 0 ? saved : all).map(({ filename, subfolder, type }) => ({
    name: filename,
    url: comfyUrl(context, `view?${new URLSearchParams({ filename, subfolder, type })}`),
    needsKey: true as const,
  }));
}

function toSaved(list: unknown): SavedFile[] {
  return (Array.isArray(list) ? list : []).flatMap((file: unknown) => {
    if (!isRecord(file) || typeof file.filename !== "string") return [];
    const { filename, subfolder, type } = file;
    return [
      {
        filename,
        subfolder: typeof subfolder === "string" ? subfolder : "",
        type: typeof type === "string" ? type : "output",
      },
    ];
  });
}

/** Nodes that show text return it as a list under `text`. */
function textOf({ outputs }: HistoryEntry): string {
  const texts = Object.values(outputs).flatMap((output) =>
    isRecord(output) && Array.isArray(output.text) ? (output.text as Json[]) : [],
  );
  return texts.filter((word) => typeof word === "string").join("\n");
}

/** Opens a file of this server with the connection's key. Each iteration sends a new request. */
export const openFile = (url: string, context: CallContext): AsyncIterable<Uint8Array> =>
  openSigned(url, context, async () => {
    // The key goes only to this connection's server.
    if (!url.startsWith(comfyUrl(context, "view?"))) {
      throw new ProviderError("output_unavailable", "yes", {
        message: sentences.workflows.addressChanged,
      });
    }
    return withHeaders(context.fetch, keyHeader(context));
  });
