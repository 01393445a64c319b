import type { Behaviour, Gates, Post } from "./behaviour.ts";
import { type Call, type Refusal, reset } from "./server.ts";

/**
 * The complete answer to a paid POST, or with a reset after its head, its first half. A numbered
 * gate holds the second half.
 */
export async function replyPaid(
  { call, post, behaviour, gates }: { call: Call; post: Post; behaviour: Behaviour; gates?: Gates },
  {
    status = 200,
    headers,
    body,
  }: { status?: number; headers: Record<string, string>; body: Uint8Array | string },
): Promise<void> {
  const bytes = Buffer.from(body as string);
  const { response } = call;
  response.writeHead(status, { ...headers, "content-length": bytes.length });
  const isTorn = behaviour.fault?.kind === "reset";
  const half = Math.floor(bytes.length / 2);
  const gate = typeof behaviour.gate?.at === "number" ? behaviour.gate : undefined;
  if (!isTorn && !gate) {
    response.end(bytes);
    return;
  }
  await new Promise<void>((resolve) => response.write(bytes.subarray(0, half), () => resolve()));
  if (!isTorn) {
    await gates?.wait(gate!.name);
    response.end(bytes.subarray(half));
    return;
  }
  reset(response, post);
}

/** A JSON POST's body, recorded in the ledger. Null if it isn't JSON. */
export function readJsonBody({ headers, body }: Call, post: Post): unknown {
  if (!headers["content-type"]?.startsWith("application/json")) return null;
  try {
    post.body = JSON.parse(body.toString());
    return post.body;
  } catch {
    return null;
  }
}

/**
 * A form's fields, recorded in the ledger with files as {name, type, bytes}. Null if it isn't a
 * form.
 */
export async function readForm(
  { headers, body }: Call,
  post: Post,
): Promise<Record<string, unknown> | null> {
  const type = headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return null;
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } })
    .formData()
    .catch(() => null);
  if (!form) return null;
  const fields = Object.fromEntries(
    [...form].map(([name, value]) => [
      name,
      value instanceof File ? { name: value.name, type: value.type, bytes: value.size } : value,
    ]),
  );
  post.body = fields;
  return fields;
}

export function sayRefusal({ response }: Call, { status, body, headers = {} }: Refusal): true {
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body));
  return true;
}

const silentFrame = [Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)];

/** Two frames of silence: a server that finds ffmpeg reads the whole file. */
export const tinyMp3 = Buffer.concat([
  Buffer.from("ID3\u0003"),
  Buffer.alloc(6),
  ...silentFrame,
  ...silentFrame,
]);
