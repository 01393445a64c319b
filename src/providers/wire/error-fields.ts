import { sentences } from "#contract/sentences/index.ts";

/** The fields of a provider's error, in the forms in use. */
export type ErrorFields = {
  message?: string;
  code?: string;
  type?: string;
  field?: string;
  /**
   * Names in an error's details (google.rpc.ErrorInfo: its reason; QuotaFailure: the exhausted
   * quotas).
   */
  reasons?: string[];
  /** How long the provider asks us to wait, in its message or its headers. */
  retryAfterMs?: number;
};

/**
 * Reads an error body: `{error: {message, type, param, code}}` (OpenAI and many others), `{error:
 * "…"}` (Ollama, whose sentence can be llama-server's whole body), `{message, type, code}`
 * (Mistral, vLLM), `{error, error_description}` (OAuth 2.0), `{detail: "…"}` and `{detail: [{loc,
 * msg, type}]}` (FastAPI), `{detail: {status, message}}` (ElevenLabs), `{err_code, err_msg}` and
 * `{category, message}` (Deepgram). Any other body gives its first line.
 */
export function readErrorFields(text: string): ErrorFields {
  try {
    return toErrorFields(JSON.parse(text));
  } catch {
    const line = text.trim().split("\n", 1)[0]!.slice(0, 500);
    return line ? { message: line } : {};
  }
}

export function toErrorFields(body: unknown): ErrorFields {
  if (typeof body === "string")
    return body.startsWith("{") ? readErrorFields(body) : { message: body };
  if (!isRecord(body)) return {};
  if (typeof body.error_description === "string")
    return compact({ message: body.error_description, code: text(body.error) });
  if (isRecord(body.error) || typeof body.error === "string") return toErrorFields(body.error);
  if (Array.isArray(body.detail) && isRecord(body.detail[0])) {
    const [first] = body.detail as [Record<string, unknown>];
    const place = Array.isArray(first.loc)
      ? first.loc.filter((step) => step !== "body").join(".")
      : undefined;
    return compact({ message: text(first.msg), type: text(first.type), field: place });
  }
  if (isRecord(body.detail))
    return toErrorFields({ ...body.detail, code: body.detail.code ?? body.detail.status });
  // Mistral wraps FastAPI's error in its own.
  if (isRecord(body.message)) return toErrorFields(body.message);
  return compact({
    message: withFilters(
      withUpstream(text(body.message), body) ??
        text(body.detail) ??
        text(body.error_description) ??
        text(body.err_msg),
      body,
    ),
    code: text(body.code) ?? text(body.err_code) ?? text(body.category),
    // google.rpc.Status has its name there: INVALID_ARGUMENT.
    type:
      text(body.type) ??
      (typeof body.status === "string" && /^[A-Z_]+$/.test(body.status) ? body.status : undefined),
    field: text(body.param) ?? firstInvalid(body.invalid_fields),
    reasons: reasonsIn(body.details),
  });
}

/**
 * Whether a body is an error written by an API, and not by a gateway in front of it: it wraps the
 * failure (`error`, `detail`), or names it (a code, a type). A lone sentence ("message", "error",
 * "detail") and Cloudflare's problem document may come from either.
 */
export function isOwnShape(body: unknown): boolean {
  if (!isRecord(body) || "cloudflare_error" in body) return false;
  const inner = Array.isArray(body.detail)
    ? (body.detail as unknown[])[0]
    : (body.error ?? body.detail ?? body.message);
  if (isRecord(inner)) return Object.values(toErrorFields(inner)).length > 0;
  const { message, code, type } = toErrorFields(body);
  return (
    message !== undefined && (code ?? type ?? text(body.code) ?? text(body.type)) !== undefined
  );
}

/**
 * `[{reason: "API_KEY_INVALID"}, {violations: [{quotaId: "GenerateRequestsPerDay…"}]}]`
 * (google.rpc.ErrorInfo, QuotaFailure).
 */
function reasonsIn(details: unknown): string[] | undefined {
  if (!Array.isArray(details)) return undefined;
  const violations = (details as unknown[]).flatMap((detail) =>
    isRecord(detail) && Array.isArray(detail.violations) ? (detail.violations as unknown[]) : [],
  );
  const named = [...(details as unknown[]), ...violations]
    .filter(isRecord)
    .flatMap(({ reason, quotaId }) => [text(reason), text(quotaId)]);
  const reasons = named.filter((name) => name !== undefined);
  return reasons.length > 0 ? reasons : undefined;
}

/**
 * OpenRouter reports only that its provider refused. The reason is in `metadata: {raw,
 * provider_name}`, in the provider's words.
 */
function withUpstream(
  message: string | undefined,
  { metadata }: Record<string, unknown>,
): string | undefined {
  if (
    message === undefined ||
    !isRecord(metadata) ||
    typeof metadata.raw !== "string" ||
    !metadata.raw.trim()
  )
    return message;
  const said = readErrorFields(metadata.raw).message ?? metadata.raw.trim();
  return `${message}: ${said.slice(0, 300)}${text(metadata.provider_name) ? ` (${text(metadata.provider_name)})` : ""}`;
}

/** `[{type, field: "input.prompt", description}]` (Replicate). */
const firstInvalid = (fields: unknown): string | undefined =>
  Array.isArray(fields) && isRecord(fields[0])
    ? text(fields[0].field)?.replace(/^input\./, "")
    : undefined;

/**
 * Returns the categories that Azure's content filter stopped, by its own names: `{violence:
 * {filtered: true, severity: "high"}, …}`.
 */
export const filteredBy = (results: unknown): string[] =>
  isRecord(results)
    ? Object.entries(results).flatMap(([name, result]) =>
        isRecord(result) && result.filtered === true ? [name.replaceAll("_", " ")] : [],
      )
    : [];

/** Azure names the filters that refused a prompt in `innererror` or in a list of filters. */
function withFilters(
  message: string | undefined,
  body: Record<string, unknown>,
): string | undefined {
  const inner = isRecord(body.innererror) ? body.innererror : {};
  const listed: unknown[] = Array.isArray(body.content_filters) ? body.content_filters : [];
  const names = [
    inner.content_filter_result,
    inner.content_filter_results,
    ...listed.map(resultsOf),
  ].flatMap(filteredBy);
  return names.length === 0
    ? message
    : sentences.answers.filteredFor({
        message: message ?? sentences.answers.wasFiltered,
        categories: [...new Set(names)].join(", "),
      });
}

export const resultsOf = (filter: unknown): unknown =>
  isRecord(filter) ? filter.content_filter_results : undefined;

/** Removes the secret, and anything that looks like a key, from text shown to people. */
export function redact(text: string, secret: string | null): string {
  const without = secretsIn(secret).reduce(
    (redacted, one) => redacted.replaceAll(one, "•••"),
    text,
  );
  return without
    .replace(/\b(sk|pk|key|gsk|xai|hf|or)[-_][\w*.-]{6,}/gi, "•••")
    .replace(/\bBearer\s+\S+/gi, "Bearer •••")
    .replace(quotedModelPath, "$1$2$1")
    .replace(modelPath, "$1");
}

/**
 * The path of a local server's model file, which concerns only its owner: people see the file's
 * stem.
 */
const quotedModelPath =
  /(['"])[^'"\n]{0,400}[\\/]([^'"\\/\n]{1,200}?)(?:-\d{5}-of-\d{5})?\.gguf\1/gi;
const modelPath =
  /(?:[a-z]:|\.{1,2}|~)?(?:[\\/][^\s'"\\/]{0,200}){0,30}[\\/]([^\s'"\\/]{1,200}?)(?:-\d{5}-of-\d{5})?\.gguf\b/gi;

const minSecret = 4;
/** A key file also contains values that aren't secret, such as its project. */
const minKeyFileSecret = 16;

/**
 * Returns the secret itself, and if it is JSON of several fields or a key file, each text in it,
 * also nested; the longest first.
 */
function secretsIn(secret: string | null): string[] {
  if (!secret || secret.length < minSecret) return [];
  const fields = fieldsOf(secret);
  const least = "private_key" in fields || "type" in fields ? minKeyFileSecret : minSecret;
  const values = Object.values(fields).filter(
    (value) => typeof value === "string" && value.length >= least,
  ) as string[];
  return [secret, ...values.flatMap(secretsIn)].sort((one, other) => other.length - one.length);
}

function fieldsOf(secret: string): Record<string, unknown> {
  if (!secret.startsWith("{")) return {};
  try {
    return JSON.parse(secret) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const text = (value: unknown) =>
  typeof value === "string" && value
    ? value
    : typeof value === "number"
      ? String(value)
      : undefined;

function compact(fields: { [K in keyof ErrorFields]: ErrorFields[K] | undefined }): ErrorFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
