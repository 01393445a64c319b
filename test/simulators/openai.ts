import { json } from "./kit/json.ts";
import { type Call, type ProviderWire, type Simulator, startSimulator } from "./kit/server.ts";
import { createDocuments } from "./openai/documents.ts";
import { createJobs } from "./openai/jobs.ts";
import { answerResponse, madeFile, madeFileWords } from "./openai/responses.ts";
import { type ResponsesBody, refuseResponse, refuseVideo } from "./openai/strict.ts";
import { openAiWire, refusal, type SimulatorOptions, say, wrongKey } from "./openai-compatible.ts";

export type OpenAi = Omit<Simulator, "origin"> & {
  /** The base URL, which ends in /v1. */
  url: string;
  /** The required value of `Authorization: Bearer`. */
  key: string;
  /** Ends or fails a job by its id immediately, whatever its script. */
  endJob(id: string, error?: { code: string; message: string }): void;
  /** Uploaded files and vector stores. */
  documents: ReturnType<typeof createDocuments>;
};

const listed = [
  "gpt-5.5",
  "gpt-5.5-pro",
  "gpt-4.1",
  "gpt-image-2",
  "gpt-4o-mini-tts",
  "whisper-1",
  "text-embedding-3-small",
  "sora-2",
  "new-model-x",
];

/**
 * A strict server of OpenAI's own API: the compatible part, plus Responses, including background
 * ones, and videos.
 */
export async function startOpenAi(options: SimulatorOptions = {}): Promise<OpenAi> {
  const key = options.key ?? "sk-sim-key";
  const isAuthorized = (call: Call) => call.headers.authorization === `Bearer ${key}`;
  const { wire, endJob, documents } = openAiOwnWire(options, isAuthorized, "/v1");
  const { origin, ...simulator } = await startSimulator(wire, options);
  return { ...simulator, url: `${origin}/v1`, key, endJob, documents };
}

const madeFilePath = `/containers/${madeFile.container_id}/files/${madeFile.file_id}/content`;

export function openAiOwnWire(
  options: Pick<SimulatorOptions, "models">,
  isAuthorized: (call: Call) => boolean,
  base: string,
) {
  const models =
    options.models ??
    listed.map((id) => ({ id, object: "model", created: 1_700_000_000, owned_by: "openai" }));
  const shared = openAiWire({ models }, isAuthorized, base);
  const jobs = createJobs();
  const documents = createDocuments();
  const pathOf = shared.pathOf!;
  const wire: ProviderWire = {
    ...shared,
    async answerFree(call, origin) {
      const path = pathOf(call.url);
      const stored = await documents.answer({ ...call, path, query: call.url.searchParams });
      if (stored) {
        if (!isAuthorized(call)) say(call, wrongKey);
        else if ("refused" in stored) say(call, stored.refused);
        else json(call.response, stored.body);
        return true;
      }
      if (call.method === "GET" && path === madeFilePath) {
        if (!isAuthorized(call)) say(call, wrongKey);
        else call.response.writeHead(200, { "content-type": "text/csv" }).end(madeFileWords);
        return true;
      }
      const known = /^\/(responses|videos)(\/|$)/.test(path);
      if (!known) return shared.answerFree!(call, origin);
      if (call.method === "POST" && (path === "/responses" || path === "/videos")) return false;
      if (!isAuthorized(call)) say(call, wrongKey);
      else if (!jobs.answer(path, call))
        say(call, refusal(404, { message: `No such object: ${path}`, code: "not_found" }));
      return true;
    },
    async refuse(call, post) {
      if (post.path !== "/responses" && post.path !== "/videos") return shared.refuse(call, post);
      if (!isAuthorized(call)) return wrongKey;
      const problem =
        post.path === "/responses" ? readResponse(call, post) : await readVideo(call, post);
      const missing =
        post.path === "/responses" && !problem && documents.missing(post.body as ResponsesBody);
      if (missing)
        return refusal(404, { message: missing, type: "invalid_request_error", code: null });
      return problem && refusal(400, { ...problem, code: "invalid_value" });
    },
    answer(given) {
      const { post, call } = given;
      const body = post.body as { background?: boolean };
      if (post.path === "/videos") return json(call.response, jobs.startVideo(given));
      if (post.path === "/responses" && body.background)
        return json(call.response, jobs.startResponse(given));
      return post.path === "/responses"
        ? answerResponse({ ...given, documents: documents.searchedBy(post.body as ResponsesBody) })
        : shared.answer(given);
    },
  };
  return { wire, endJob: jobs.end, documents };
}

function readResponse({ headers, body }: Call, post: { body: unknown }) {
  if (!headers["content-type"]?.startsWith("application/json"))
    return { message: "Expected application/json.", param: null };
  try {
    post.body = JSON.parse(body.toString());
  } catch {
    return { message: "The body is not JSON.", param: null };
  }
  return refuseResponse(post.body);
}

async function readVideo({ headers, body }: Call, post: { body: unknown }) {
  const type = headers["content-type"] ?? "";
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } })
    .formData()
    .catch(() => null);
  if (!form) return { message: "Expected multipart/form-data.", param: null };
  post.body = Object.fromEntries(
    [...form].map(([name, value]) => [
      name,
      value instanceof File ? { name: value.name, bytes: value.size } : value,
    ]),
  );
  return refuseVideo(form);
}
