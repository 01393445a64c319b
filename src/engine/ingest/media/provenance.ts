import type { Provenance } from "#contract/entities.ts";
import { readProvenance } from "#domain/files/provenance/read-provenance.ts";
import { withFileBytes } from "./file-bytes.ts";

export const findProvenance = (path: string): Provenance | null =>
  withFileBytes(path, readProvenance);
