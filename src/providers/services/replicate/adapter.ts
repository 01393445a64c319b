import type { Adapter } from "../../adapter.ts";
import { replicateKind } from "./kind.ts";
import { checkConnection, listModels } from "./models.ts";
import { job } from "./predictions.ts";

export const replicate: Adapter = {
  ...replicateKind,
  check: checkConnection,
  models: listModels,
  job,
};
