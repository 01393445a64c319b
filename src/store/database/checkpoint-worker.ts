import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** Loaded only as a worker. One message asks for a checkpoint, and is answered when it is over; null closes the file. */
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
    // Low on disk, or failing: the writer does it itself when the log has grown too long, and says what is wrong.
  }
  parentPort?.postMessage("done");
});
