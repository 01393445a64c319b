import { anthropicColumns } from "./anthropic.ts";
import { awsColumns } from "./aws.ts";
import { backgroundColumns } from "./background.ts";
import { falLineColumns } from "./fal-lines.ts";
import { filmColumns } from "./films.ts";
import { withFurther } from "./further.ts";
import { googleColumns } from "./google.ts";
import { hostedColumns } from "./hosted.ts";
import { furtherColumns } from "./hosted-models.ts";
import { jobColumns } from "./jobs.ts";
import { localColumns } from "./local.ts";
import { mediaColumns } from "./media.ts";
import { openAiColumns } from "./openai.ts";
import { queueColumns } from "./queues.ts";
import type { Column } from "./table.ts";
import { machineColumns } from "./this-machine.ts";
import { withWays } from "./ways.ts";

const told: readonly Column[] = [
  ...openAiColumns,
  ...anthropicColumns,
  ...googleColumns,
  ...awsColumns,
  ...hostedColumns,
  ...furtherColumns,
  ...localColumns,
  ...mediaColumns,
  ...jobColumns,
  ...queueColumns,
  ...falLineColumns,
  ...backgroundColumns,
  ...filmColumns,
  ...machineColumns,
];

/**
 * The table of errors: what each provider says, and (in `table.ts`) what it is to us. The shapes are those of each column's reference,
 * and the sentences, where it gives any; the same in other shapes and codes stands beside them (`further.ts`). Sentences that nobody
 * publishes (those of Luma, of Perplexity, of gateways) are ours, in the published shape.
 */
export const columns: readonly Column[] = told.map(withFurther).flatMap(withWays);
