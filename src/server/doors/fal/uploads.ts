import { cleanText } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { decide, hasNeededScope } from "#domain/people/policy.ts";
import { saveUpload, storeStream } from "#engine/ingest/upload.ts";
import { getAsset } from "#store/content/assets.ts";
import { findScope } from "#store/people/scopes.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Asking } from "../programs/follow.ts";
import { actorNow, bearerOf, linkTo, originOf, weekMs } from "../programs/links.ts";

/** URLs under this path are signed and ignore cookies, so any origin may use them. */
export const uploadsPath = "/api/fal/uploads/";
/** How long, roughly, parts without a reference are kept. */
const ticketLifetimeMs = 60 * 60_000;
const scope = ["assets:write"] as const;

/** The contents of an upload URL: the file's owner, project, name and id. */
export type Ticket = {
  assetId: string;
  by: string;
  key?: string | undefined;
  projectId: string;
  name: string;
  until: number;
  signature: string;
};

const signedParts = (ticket: Omit<Ticket, "signature">): string[] => {
  const { assetId, by, key = "", projectId, name, until } = ticket;
  return ["upload", assetId, by, key, projectId, name, String(until)];
};

/**
 * POST rest.fal.ai/storage/upload/initiate: the file is uploaded to this Bottega instead of fal. It
 * becomes an asset with the project's rights; a run that uses it uploads it to fal, private and for
 * a limited time.
 * @throws Problem forbidden, invalid_input
 */
export function beginUpload(
  deps: ServerDeps,
  { actor, projectId, line, c }: Asking,
  body: JsonObject,
): Response {
  if (!hasNeededScope(actor, scope))
    throw new Problem("forbidden", { message: sentences.keys.scopeMissing({ scope: scope[0] }) });
  const { file_name: given, content_type: mime } = body;
  if (typeof given !== "string")
    throw new Problem("invalid_input", {
      field: "file_name",
      message: sentences.files.nameMissing,
    });
  const { userId, keyId } = bearerOf(actor);
  const assetId = deps.ids();
  const name = cleanText(given).normalize("NFC").slice(0, limits.nameCharacters) || "file";
  const until = deps.clock.now() + ticketLifetimeMs;
  const query = new URLSearchParams({
    by: userId,
    ...(keyId && { key: keyId }),
    projectId,
    name,
    until: String(until),
  });
  query.set(
    "signature",
    deps.signer.sign(
      signedParts({ assetId, by: userId, key: keyId ?? undefined, projectId, name, until }),
    ),
  );
  return c.json({
    upload_url: `${originOf(deps, line)}${uploadsPath}${assetId}?${query}`,
    file_url: linkTo(
      deps,
      line,
      { userId, keyId },
      { id: assetId, title: name, mime: typeof mime === "string" ? mime : "" },
      weekMs,
    ),
  });
}

/**
 * @throws Problem forbidden for a URL that isn't ours, has expired, or whose person may not add
 *   files any more
 */
async function requireTicket(deps: ServerDeps, ticket: Ticket): Promise<void> {
  const isOurs =
    deps.signer.isRight(signedParts(ticket), ticket.signature) && ticket.until > deps.clock.now();
  const actor = isOurs
    ? await actorNow(deps, { userId: ticket.by, keyId: ticket.key ?? null })
    : undefined;
  const project =
    actor && (await findScope(deps.store.read, "project", ticket.projectId, actor.userId));
  if (!actor || decide(actor, "edit", project) !== "allowed" || !hasNeededScope(actor, scope))
    throw new Problem("forbidden", {
      message: sentences.files.uploadExpired,
    });
}

const maxGb = limits.uploadBytes / 1024 ** 3;
const tooLarge = () =>
  new Problem("too_large", { message: sentences.files.fileTooLarge({ gigabytes: maxGb }) });

async function saveContent(
  deps: ServerDeps,
  ticket: Ticket,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { assetId, by: userId, projectId, name } = ticket;
  // A repeated upload: the file is already here, and a URL is good for one file.
  if (await getAsset(deps.store.db, assetId)) return;
  await saveUpload(deps, { projectId, userId, name, source, assetId });
}

/** PUT upload_url: receives the whole file. */
export async function takeFile(deps: ServerDeps, ticket: Ticket, request: Request): Promise<void> {
  await requireTicket(deps, ticket);
  if (Number(request.headers.get("content-length") ?? 0) > limits.uploadBytes) throw tooLarge();
  await saveContent(deps, ticket, bodyOf(request));
}

/**
 * PUT upload_url/{part}: stores the part by its hash and returns the hash in a signed ETag. No row
 * refers to it, and no other bytes can be named in its place.
 */
export async function takePart(
  deps: ServerDeps,
  ticket: Ticket,
  partNumber: number,
  request: Request,
) {
  await requireTicket(deps, ticket);
  const { sha256, bytes } = await storeStream(deps, bodyOf(request), limits.uploadPartBytes);
  return {
    partNumber,
    etag: `${sha256}.${bytes}.${deps.signer.sign(signedPart(ticket, partNumber, sha256, bytes))}`,
  };
}

const signedPart = (
  { assetId }: Ticket,
  partNumber: number,
  sha256: string,
  bytes: number,
): string[] => ["part", assetId, String(partNumber), sha256, String(bytes)];

/**
 * POST upload_url/complete.
 * @throws Problem invalid_input for parts of another upload, or when some are missing
 */
export async function completeUpload(
  deps: ServerDeps,
  ticket: Ticket,
  parts: readonly { partNumber: number; etag: string }[],
) {
  await requireTicket(deps, ticket);
  const known = parts.map(({ partNumber, etag }, i) => {
    const [sha256 = "", bytes = "", signature = ""] = etag.split(".");
    const isOurs =
      partNumber === i + 1 &&
      deps.signer.isRight(signedPart(ticket, partNumber, sha256, Number(bytes)), signature);
    if (!isOurs)
      throw new Problem("invalid_input", {
        field: `parts.${i}`,
        message: sentences.files.wrongPart,
      });
    return { sha256, bytes: Number(bytes) };
  });
  if (known.reduce((sum, { bytes }) => sum + bytes, 0) > limits.uploadBytes) throw tooLarge();
  for (const { sha256 } of known)
    if (!(await deps.blobs.stat(sha256)))
      throw new Problem("conflict", {
        message: sentences.files.partExpired,
      });
  await saveContent(deps, ticket, joined(deps, known));
}

async function* joined(
  { blobs }: Pick<ServerDeps, "blobs">,
  parts: readonly { sha256: string }[],
): AsyncGenerator<Uint8Array> {
  for (const { sha256 } of parts) yield* await blobs.get(sha256);
}

async function* bodyOf(request: Request): AsyncGenerator<Uint8Array> {
  for await (const chunk of request.body ?? []) yield chunk;
}
