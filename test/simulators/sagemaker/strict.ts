import { z } from "zod";

/**
 * The body of TGI's generate_stream, and of JumpStart's text-to-image endpoints, as their
 * references list them.
 */
const tgi = z.strictObject({
  inputs: z.string().min(1),
  stream: z.literal(true),
  parameters: z.strictObject({
    max_new_tokens: z.int().positive().optional(),
    temperature: z.number().positive().optional(),
    do_sample: z.boolean().optional(),
    top_p: z.number().gt(0).lt(1).optional(),
    stop: z.array(z.string()).max(4).optional(),
    seed: z.int().min(0).optional(),
    details: z.boolean().optional(),
  }),
});
const jumpStart = z.strictObject({
  prompt: z.string().min(1),
  negative_prompt: z.string().optional(),
  width: z.int().multipleOf(8).optional(),
  height: z.int().multipleOf(8).optional(),
  num_images_per_prompt: z.int().min(1).optional(),
  num_inference_steps: z.int().min(1).optional(),
  guidance_scale: z.number().optional(),
  seed: z.int().min(0).optional(),
});

export function refuseTgi(value: unknown): string | null {
  return problemOf(tgi.safeParse(value));
}
export function refuseJumpStart(value: unknown): string | null {
  return problemOf(jumpStart.safeParse(value));
}

function problemOf(read: z.ZodSafeParseResult<unknown>): string | null {
  const issue = read.error?.issues[0];
  return issue ? `${issue.path.join(".") || "body"}: ${issue.message}` : null;
}
