import type { ModelRef, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { recordingFieldOf, restOfForm } from "#domain/schemas/voice-fields.ts";
import { fileUrl } from "../../../components/asset/asset-urls.ts";
import { call } from "../../../data/client.ts";
import { sendOnce } from "../../../data/idempotency-key.ts";
import { t } from "../../../messages/t.ts";

/**
 * Starts the transcription of a recording.
 * @throws ServerProblem; Problem for a model that requires more input
 */
export async function transcribe(projectId: string, assetId: string, ref: ModelRef): Promise<Run> {
  const { connectionId, modelId } = ref;
  const { model } = await call("getModel", {
    params: { connectionId },
    query: { projectId, model: modelId },
  });
  const schema = model.inputSchema as Parameters<typeof recordingFieldOf>[0];
  const field = recordingFieldOf(schema);
  const rest = field && restOfForm(schema, field);
  if (!field || !rest)
    throw new Problem("invalid_input", { message: t("voice.asksMore", { name: model.name }) });
  const body = {
    model: { connectionId, modelId },
    input: { ...rest, [field]: `asset:${assetId}` },
  };
  const { run } = await sendOnce(body, (idempotencyKey) =>
    call("createDictation", { params: { projectId }, body: { ...body, idempotencyKey } }),
  );
  return run;
}

/**
 * A finished run's transcript: its last text file.
 * @throws ServerProblem, TypeError
 */
export async function readTranscript(runId: string): Promise<string> {
  const { assets } = await call("getRun", { params: { runId } });
  const transcript = assets.findLast(({ kind, mime }) => kind === "text" && mime === "text/plain");
  if (!transcript) return "";
  const response = await fetch(fileUrl(transcript.id));
  if (!response.ok) throw new TypeError("fetch: the transcript did not come");
  return (await response.text()).trim();
}
