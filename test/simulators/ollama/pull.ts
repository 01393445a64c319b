import type { ServerResponse } from "node:http";
import { write } from "../http-reply.ts";
import type { OllamaModel } from "./models.ts";

/**
 * Two layers in quarters, then the model is installed (true). The name selects a fault: "…-breaks"
 * fails, "…-drops" ends early; a model missing from the registry isn't found.
 */
export async function replyPull(
  response: ServerResponse,
  name: string,
  model: OllamaModel | undefined,
): Promise<boolean> {
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  const say = (line: Record<string, unknown>) => write(response, `${JSON.stringify(line)}\n`);
  const end = (line?: object): false => {
    response.end(line && `${JSON.stringify(line)}\n`);
    return false;
  };
  await say({ status: "pulling manifest" });
  for (const layer of ["aaaaaaaaaaaa", "bbbbbbbbbbbb"]) {
    if (!model && !/-(breaks|drops)/.test(name))
      return end({ error: "pull model manifest: file does not exist" });
    for (let quarter = 0; quarter <= 4; quarter++) {
      const completed = quarter > 0 && { completed: quarter * 250 };
      await say({
        status: `pulling ${layer}`,
        digest: `sha256:${layer}`,
        total: 1_000,
        ...completed,
      });
      if (quarter === 2 && name.includes("-breaks"))
        return end({ error: "max retries exceeded: unexpected EOF" });
      if (quarter === 2 && name.includes("-drops")) return end();
    }
  }
  for (const status of ["verifying sha256 digest", "writing manifest", "success"])
    await say({ status });
  response.end();
  return true;
}
