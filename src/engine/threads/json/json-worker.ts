import { parentPort } from "node:worker_threads";
import { answerTasks } from "../answer-tasks.ts";
import { type JsonTask, readJson } from "./read-json.ts";

/** Loaded only as a worker: JSON that would hold up the server's own thread. */
answerTasks(parentPort, async (task: JsonTask) => readJson(task));
