import { ProviderError } from "../adapter.ts";

/** No answer is read past its bound, whoever reads it: reading on throws ProviderError. */
export function limited(response: Response, mostBytes: number): Response {
  if (!response.body) return response;
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= mostBytes) controller.enqueue(chunk);
      else controller.error(tooMuch(mostBytes));
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(count), { status, statusText, headers });
}

const tooMuch = (mostBytes: number): ProviderError =>
  new ProviderError("provider_protocol", "yes", {
    message: `The server of tools sent more than ${mostBytes / 1024 ** 2} MB, which is not read.`,
  });
