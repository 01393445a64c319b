import { adjust } from "./adjust.ts";
import { convert } from "./convert.ts";
import { crop } from "./crop.ts";
import { join } from "./join.ts";
import type { Operation } from "./operation.ts";
import { resize } from "./resize.ts";
import { rotate } from "./rotate.ts";

export const operations: readonly Operation[] = [crop, resize, rotate, convert, adjust, join];
