import { createServer, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

type ReceivedHook = {
  id: string;
  headers: Record<string, string>;
  body: string;
  at: number;
};
type Answer = number | ((response: ServerResponse) => void);

/**
 * An external address over real HTTP: records its deliveries and answers 204, or the answers that a
 * test adds to `answers`.
 */
export async function startHookReceiver() {
  const received: ReceivedHook[] = [];
  const answers: Answer[] = [];
  let always: Answer = 204;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    received.push({ id: headers["webhook-id"] ?? "", headers, body, at: Date.now() });
    const answer = answers.shift() ?? always;
    if (typeof answer === "number") response.writeHead(answer).end();
    else answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const stop = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => void server.close(() => resolve()));
  };
  onTestFinished(stop);
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/hook`,
    received,
    /** The next answers, in order. */
    answers,
    /** Sets the answer that is given when `answers` is empty. */
    always(answer: Answer) {
      always = answer;
    },
    told: (): { type: string; data: Record<string, Record<string, unknown>> }[] =>
      received.map(({ body }) => JSON.parse(body)),
    stop,
  };
}
export type HookReceiver = Awaited<ReturnType<typeof startHookReceiver>>;
