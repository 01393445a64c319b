import { lazyPart } from "../../ui/lazy-part.ts";

/** Loaded lazily, because most people have models. */
export const NoModels = lazyPart(() => import("./no-models.tsx").then(({ NoModels }) => NoModels));
