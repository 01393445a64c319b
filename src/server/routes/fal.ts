import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import type { falRoutes } from "#contract/routes/doors/fal.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ServerDeps } from "../deps.ts";
import { createQueue } from "../doors/fal/queue.ts";
import { createRepeats } from "../doors/fal/repeats.ts";
import { type FalAsking, runDirectly, streamResult, submit } from "../doors/fal/run.ts";
import { type FalTarget, readTarget } from "../doors/fal/target.ts";
import { issueToken } from "../doors/fal/token.ts";
import { beginUpload, completeUpload, takeFile, takePart } from "../doors/fal/uploads.ts";
import { goneSignal } from "../doors/programs/follow.ts";
import { requireLinked } from "../doors/programs/links.ts";
import { createPlace } from "../doors/programs/place.ts";
import { answerFile } from "../files/file-response.ts";
import type { Call, Handlers } from "../gate.ts";

type Name = keyof typeof falRoutes;
type ProxyName = "postToFal" | "getFromFal" | "putToFal";

/**
 * The proxy of fal's own client. The gate has checked the caller and the project; a run's id is
 * looked up among the caller's own runs.
 */
export function falHandlers(deps: ServerDeps): Handlers<Name> {
  const repeats = createRepeats(deps);
  const queue = createQueue(deps, repeats);

  const open = ({
    actor,
    scope,
    c,
    line,
    files,
    query,
  }: Call<ProxyName>): { asking: FalAsking; target: FalTarget } => ({
    asking: {
      actor,
      projectId: scope.projectId ?? "",
      c,
      line,
      files,
      gone: goneSignal(c),
      scope: scopesOfRoutes.getFromFal,
      place: createPlace(),
      // fal's client repeats a request whose connection broke (repeats.ts).
      endsWithCaller: false,
      connection: query.connection,
    },
    target: readTarget(c.req.method, c.req.header("x-fal-target-url")),
  });

  return {
    async postToFal(call) {
      const { asking, target } = open(call);
      const body = call.body as JsonObject;
      switch (target.call) {
        case "submit":
        case "run":
        case "stream": {
          const answer = { submit, run: runDirectly, stream: streamResult }[target.call];
          return answer(deps, repeats, asking, target, body);
        }
        case "token":
          return issueToken(deps, asking, target.opens, body);
        case "upload":
        case "upload-parts":
          return beginUpload(deps, asking, body);
        default:
          throw notHere;
      }
    },
    async getFromFal(call) {
      const { asking, target } = open(call);
      switch (target.call) {
        case "status":
          return queue.status(asking, target.app, target.requestId, target.logs);
        case "status-stream":
          return queue.statusStream(asking, target.app, target.requestId, target.logs);
        case "result":
          return queue.result(asking, target.app, target.requestId);
        default:
          throw notHere;
      }
    },
    async putToFal(call) {
      const { asking, target } = open(call);
      if (target.call !== "cancel") throw notHere;
      return queue.cancel(asking, target.app, target.requestId);
    },
    async putLinkedUpload({ params, query, c }) {
      await takeFile(deps, { ...params, ...query }, c.req.raw);
      return c.json({});
    },
    async putLinkedPart({ params, query, c }) {
      const { assetId, part } = params;
      return c.json(await takePart(deps, { assetId, ...query }, part, c.req.raw));
    },
    async completeLinkedUpload({ params, query, body, c }) {
      await completeUpload(deps, { ...params, ...query }, body.parts);
      return c.json({});
    },
    async getFalHookKeys({ c }) {
      return c.json(deps.hookKeys.published(), 200, { "cache-control": "public, max-age=3600" });
    },
    async getLinkedFile({ params, query, c }) {
      const asset = await requireLinked(deps, { assetId: params.assetId, ...query });
      const answer = await answerFile(c, deps.blobs, asset, false);
      // Anyone with this URL may open the file, including another site's page.
      answer.headers.set("cross-origin-resource-policy", "cross-origin");
      return answer;
    },
  };
}

const notHere = new Problem("invalid_input", {
  field: "x-fal-target-url",
  message: sentences.fal.unknownCall,
});
