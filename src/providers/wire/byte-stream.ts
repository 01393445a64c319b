import { ReadableStream } from "node:stream/web";

/** Bytes as a body of fetch: Node's own stream, which the browser's types of fetch don't know. */
export const toByteStream = (bytes: AsyncIterable<Uint8Array>): BodyInit =>
  ReadableStream.from(bytes) as unknown as BodyInit;
