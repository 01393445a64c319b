import type { Asset, Run } from "#contract/entities.ts";
import type { ServerDeps } from "../../deps.ts";
import type { StreamedEvent } from "../../live/event-stream.ts";
import {
  type Asking,
  extraFields,
  followToAnswer,
  type IgnoredParameters,
} from "../programs/follow.ts";
import { failureOf } from "../programs/run-problem.ts";
import { together } from "../programs/together.ts";
import { type CompletedRuns, collect, type StartedRuns } from "./make.ts";

export type PictureStream = {
  /** The prefix of the event names. */
  of: "image_generation" | "image_edit";
  /** The number of previews that the program requested. */
  partials: number;
  /** The requested look, repeated in each event. */
  look: { size: string; quality: string; background: string };
  unmet: IgnoredParameters;
  contentOf: (asset: Asset) => Promise<object>;
  usageOf: (made: CompletedRuns) => object;
};

/**
 * Yields the previews that the model makes, then each picture (OpenAI API reference, "Image
 * streaming"). Several pictures have no previews, because an event doesn't state its picture.
 * Failed pictures are left out unless all failed.
 */
export async function* pictureEvents(
  deps: ServerDeps,
  asking: Asking,
  begun: StartedRuns,
  { of, partials, look, unmet, contentOf, usageOf }: PictureStream,
): AsyncGenerator<StreamedEvent> {
  const isOne = begun.runs.length === 1;
  let made = 0;
  const failures: unknown[] = [];
  const event = (name: string, mime: string, rest: object): StreamedEvent => {
    const type = `${of}.${name}`;
    const created_at = Math.floor(deps.clock.now() / 1000);
    const output_format = mime.replace(/^image\//, "");
    return { type, payload: { type, created_at, ...look, output_format, ...rest } };
  };
  async function* pictures(run: Run): AsyncGenerator<StreamedEvent> {
    let shown = 0;
    for await (const news of followToAnswer(deps, asking, run.id)) {
      if (news.type !== "preview" || !isOne || shown >= partials || !("payload" in news)) continue;
      const { mime, base64 } = news.payload as { mime: string; base64: string };
      yield event("partial_image", mime, { b64_json: base64, partial_image_index: shown });
      shown += 1;
    }
    const ended = await collect(deps, asking, { ...begun, runs: [run] });
    for (const asset of ended?.assets ?? []) {
      if (asset.kind !== "image") continue;
      const { width, height } = asset;
      yield event("completed", asset.mime, {
        ...(width && height && { size: `${width}x${height}` }),
        ...(await contentOf(asset)),
        ...usageOf(ended!),
        bottega: extraFields(ended!.runs[0]!, unmet),
      });
      made += 1;
    }
  }
  async function* orFailure(run: Run): AsyncGenerator<StreamedEvent> {
    try {
      yield* pictures(run);
    } catch (error) {
      failures.push(error);
    }
  }
  yield* together(begun.runs.map(orFailure));
  if (made === 0 && failures.length > 0) throw failureOf(failures);
}
