import type { Adapter } from "../../adapter.ts";
import { job } from "./generations.ts";
import { lumaKind } from "./kind.ts";
import { checkConnection, listModels } from "./models.ts";

export const luma: Adapter = {
  ...lumaKind,
  check: checkConnection,
  models: listModels,
  job,
};
