import { z } from "zod";
import { feedback, id, text } from "../../entities.ts";
import { feedbackReasons } from "../../filters/ratings.ts";
import { limits } from "../../limits.ts";

const params = z.object({ messageId: id });

export const feedbackSchemas = {
  putFeedback: {
    params,
    body: z.strictObject({
      value: feedback.shape.value,
      /** The aspects that the rating is about. */
      reasons: z
        .array(z.enum(feedbackReasons))
        .refine((reasons) => new Set(reasons).size === reasons.length, "Give each reason once.")
        .default([]),
      text: text(limits.feedbackCharacters).pipe(z.string().trim()).default(""),
    }),
    response: z.object({ feedback }),
  },
  removeFeedback: { params, response: z.object({}) },
};
