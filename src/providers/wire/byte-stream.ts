import { ReadableStream } from "node:stream/web";

/**
 * Converts bytes to a fetch body: Node's own stream, which the browser's types of fetch don't
 * accept.
 */
export const toByteStream = (bytes: AsyncIterable<Uint8Array>): BodyInit =>
  ReadableStream.from(bytes) as unknown as BodyInit;
