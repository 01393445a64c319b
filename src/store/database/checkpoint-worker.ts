import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/**
 * Loaded only as a worker thread. The message "checkpoint" runs a checkpoint and is answered with
 * "done"; "close" closes the file.
 */
const db = new DatabaseSync(workerData as string, { timeout: 0 });
db.exec("pragma synchronous = full");
const checkpoint = db.prepare("pragma wal_checkpoint(passive)");

parentPort?.on("message", (message: "checkpoint" | "close") => {
  if (message === "close") {
    db.close();
    parentPort?.close();
    return;
  }
  try {
    checkpoint.get();
  } catch {
    // The disk is full or failing. The writer checkpoints by itself once the log is too long, and
    // reports the error.
  }
  parentPort?.postMessage("done");
});
