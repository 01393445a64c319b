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

const reportedColumns: readonly Column[] = [
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
 * The table of errors: each provider's answer, and (in `table.ts`) its meaning for us. Shapes and,
 * if published, sentences come from each column's reference; other shapes and codes of the same
 * error are added in `further.ts`. Unpublished sentences (Luma's, Perplexity's, gateways') are
 * ours, in the published shape.
 */
export const columns: readonly Column[] = reportedColumns.map(withFurther).flatMap(withWays);
