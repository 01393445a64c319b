import { parentPort } from "node:worker_threads";
import { answerTasks } from "../answer-tasks.ts";
import { type PageTask, renderMessages } from "./render-messages.ts";

/**
 * Loaded only as a worker: rendering some hundred KB of Markdown would block the server's thread.
 */
answerTasks(parentPort, async (task: PageTask) => renderMessages(task));
