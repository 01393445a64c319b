import { parentPort } from "node:worker_threads";
import { answerTasks } from "../answer-tasks.ts";
import { type JsonTask, readJson } from "./read-json.ts";

/** Loaded only as a worker, for JSON that would block the server's thread. */
answerTasks(parentPort, async (task: JsonTask) => readJson(task));
