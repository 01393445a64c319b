import type { Break } from "./break.ts";

/** A file exists if a row refers to it, and only its owner deletes it. */
export const files: readonly Break[] = [
  {
    rule: "A row names a file only once its bytes are stored",
    file: "src/engine/ingest/store-bytes.ts",
    text: "if (wanted && (await deps.blobs.stat(kept.sha256))) return kept;",
    instead: "if (wanted) return kept;",
    test: "test/promises/store/keeping.test.ts",
    title: "bytes uploaded again while a collector takes the old ones exist in the end",
  },
  {
    rule: "A file is counted as stored only once it is on the disk",
    file: "src/blobs/disk.ts",
    text: "await onDisk(handle.sync());",
    instead: "",
    test: "src/blobs/disk.test.ts",
  },
  {
    rule: "A database whose mark isn't in the storage deletes none of its files",
    file: "src/engine/recover/file-owner.ts",
    text: "const isOurs = mark.nonce === row.nonce || mark.nonce === row.next;",
    instead: "const isOurs = mark.nonce === row.nonce || mark.nonce !== row.next;",
    test: "test/promises/two-servers/file-owner.test.ts",
    title: "an empty database on the files of another deletes none",
  },
  {
    rule: "The collector deletes files only in a storage that its database owns",
    file: "src/engine/recover/collect.ts",
    text: "const mayDelete = () => deps.fileOwner?.mayDelete() ?? true;",
    instead: "const mayDelete = () => deps.fileOwner?.mayDelete() || true;",
    test: "test/promises/two-servers/file-owner.test.ts",
    title: "an empty database on the files of another deletes none",
  },
  {
    rule: "A server that was paused for too long checks its ownership before it deletes",
    file: "src/engine/recover/file-owner.ts",
    text: "isConditional && clock.monotonic() - renewedAt < trustMs,",
    instead: "isConditional && clock.monotonic() - renewedAt < trustMs ** 2,",
    test: "test/promises/two-servers/file-owner.test.ts",
    title: "a server paused for longer than its mark lasts deletes nothing",
  },
];
