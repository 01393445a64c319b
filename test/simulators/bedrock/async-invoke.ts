import { z } from "zod";
import { awsRefusal } from "../aws/aws-gate.ts";
import { makeMp4 } from "../fal/media.ts";
import { json } from "../kit/json.ts";
import type { Call } from "../kit/server.ts";

/**
 * StartAsyncInvoke, GetAsyncInvoke and ListAsyncInvokes with their published shapes, and a ledger
 * of their jobs.
 */
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);
const picture = z.strictObject({
  format: z.enum(["png", "jpeg"]),
  source: z.strictObject({ bytes: base64 }),
});
const reelConfig = (seconds: z.ZodType) =>
  z.strictObject({
    durationSeconds: seconds,
    fps: z.literal(24),
    dimension: z.literal("1280x720"),
    seed: z.int().min(0).max(2_147_483_646).optional(),
  });
const novaReel = z.discriminatedUnion("taskType", [
  z.strictObject({
    taskType: z.literal("TEXT_VIDEO"),
    textToVideoParams: z.strictObject({
      text: z.string().min(1).max(512),
      images: z.array(picture).max(1).optional(),
    }),
    videoGenerationConfig: reelConfig(z.literal(6)),
  }),
  z.strictObject({
    taskType: z.literal("MULTI_SHOT_AUTOMATED"),
    multiShotAutomatedParams: z.strictObject({ text: z.string().min(1).max(4_000) }),
    videoGenerationConfig: reelConfig(z.int().min(12).max(120).multipleOf(6)),
  }),
]);
const frame = z.strictObject({
  type: z.literal("image"),
  source: z.strictObject({
    type: z.literal("base64"),
    media_type: z.enum(["image/jpeg", "image/png"]),
    data: base64,
  }),
});
const lumaRay = z.strictObject({
  prompt: z.string().min(1).max(5_000),
  aspect_ratio: z.enum(["1:1", "16:9", "9:16", "4:3", "3:4", "21:9", "9:21"]).optional(),
  loop: z.boolean().optional(),
  duration: z.enum(["5s", "9s"]).optional(),
  resolution: z.enum(["540p", "720p"]).optional(),
  keyframes: z.strictObject({ frame0: frame.optional(), frame1: frame.optional() }).optional(),
});
const inputs: Readonly<Record<string, z.ZodType>> = {
  "amazon.nova-reel-v1:1": novaReel,
  "luma.ray-v2:0": lumaRay,
};
const body = z.strictObject({
  clientRequestToken: z
    .string()
    .min(1)
    .max(256)
    .regex(/^[!-~]*$/)
    .optional(),
  modelId: z.string().min(1),
  modelInput: z.unknown(),
  outputDataConfig: z.strictObject({
    s3OutputDataConfig: z.strictObject({
      s3Uri: z.string().regex(/^s3:\/\/[a-z0-9.-]{3,63}(\/.*)?$/),
      kmsKeyId: z.string().optional(),
      bucketOwner: z.string().optional(),
    }),
  }),
  tags: z.array(z.strictObject({ key: z.string(), value: z.string() })).optional(),
});
type StartBody = z.infer<typeof body>;

export type AsyncJob = {
  invocationArn: string;
  modelArn: string;
  clientRequestToken?: string;
  status: "InProgress" | "Completed" | "Failed";
  failureMessage?: string;
  submitTime: string;
  outputDataConfig: StartBody["outputDataConfig"];
  /** The body without its token; the same token with another body is refused. */
  asked: string;
};

export function refuseStart(value: unknown): string | null {
  const read = body.safeParse(value);
  const input = read.success
    ? inputs[read.data.modelId]?.safeParse(read.data.modelInput)
    : undefined;
  if (read.success && input === undefined) return "The provided model identifier is invalid.";
  const issue = (read.success ? input : read)?.error?.issues[0];
  return issue ? `${issue.path.join("/") || "#"}: ${issue.message}` : null;
}

/** @param putOutput writes an object into the account's bucket, as Bedrock does at a job's end */
export function createAsyncInvokes(
  region: string,
  putOutput: (uri: string, bytes: Buffer) => Promise<void>,
) {
  const jobs: AsyncJob[] = [];
  /** Jobs stay in progress until a test ends them, or end immediately. */
  let isAtOnce = true;

  const finish = async (job: AsyncJob, failureMessage?: string) => {
    if (failureMessage === undefined) {
      await putOutput(
        `${job.outputDataConfig.s3OutputDataConfig.s3Uri}/output.mp4`,
        Buffer.from(makeMp4(job.invocationArn, 6).bytes),
      );
      await putOutput(
        `${job.outputDataConfig.s3OutputDataConfig.s3Uri}/manifest.json`,
        Buffer.from("{}"),
      );
    }
    Object.assign(job, {
      status: failureMessage === undefined ? "Completed" : "Failed",
      ...(failureMessage !== undefined && { failureMessage }),
    });
  };

  return {
    jobs,
    finish,
    hold: () => {
      isAtOnce = false;
    },
    /** A new job, or the one that this token started. Undefined if the token started another. */
    async start(asked: StartBody): Promise<AsyncJob | undefined> {
      const { clientRequestToken, ...rest } = asked;
      const known =
        clientRequestToken === undefined
          ? undefined
          : jobs.find((job) => job.clientRequestToken === clientRequestToken);
      if (known) return known.asked === JSON.stringify(rest) ? known : undefined;
      const id = (jobs.length + 1).toString(36).padStart(12, "0");
      const job: AsyncJob = {
        invocationArn: `arn:aws:bedrock:${region}:123456789012:async-invoke/${id}`,
        modelArn: `arn:aws:bedrock:${region}::foundation-model/${asked.modelId}`,
        ...(clientRequestToken !== undefined && { clientRequestToken }),
        status: "InProgress",
        submitTime: new Date().toISOString(),
        // The original answers with the folder that it created for the job.
        outputDataConfig: {
          s3OutputDataConfig: {
            s3Uri: `${asked.outputDataConfig.s3OutputDataConfig.s3Uri.replace(/\/+$/, "")}/${id}`,
          },
        },
        asked: JSON.stringify(rest),
      };
      jobs.push(job);
      if (isAtOnce) await finish(job);
      return job;
    },
    /** GET /async-invoke and /async-invoke/{arn}, in pages of one, so that clients must page. */
    answerGet({ url, response }: Call): boolean {
      const shown = ({ asked: _, ...job }: AsyncJob) => job;
      if (url.pathname === "/async-invoke") {
        const after = url.searchParams.get("submitTimeAfter");
        const newest = jobs.filter((job) => after === null || job.submitTime >= after).toReversed();
        const from = Number(url.searchParams.get("nextToken") ?? 0);
        json(response, {
          asyncInvokeSummaries: newest.slice(from, from + 1).map(shown),
          ...(from + 1 < newest.length && { nextToken: String(from + 1) }),
        });
        return true;
      }
      const job = jobs.find(
        ({ invocationArn }) =>
          url.pathname === `/async-invoke/${encodeURIComponent(invocationArn)}`,
      );
      if (job) json(response, shown(job));
      else {
        const {
          status,
          body: said,
          headers,
        } = awsRefusal(
          404,
          "ResourceNotFoundException",
          "The specified async invocation was not found.",
        );
        response
          .writeHead(status, { ...headers, "content-type": "application/json" })
          .end(JSON.stringify(said));
      }
      return true;
    },
  };
}
export type AsyncInvokes = ReturnType<typeof createAsyncInvokes>;
