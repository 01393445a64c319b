import { parentPort } from "node:worker_threads";
import { answerTasks } from "../answer-tasks.ts";
import { type PageTask, renderMessages } from "./render-messages.ts";

/** Loaded only as a worker: Markdown of some hundred KB takes longer than the server's own thread has. */
answerTasks(parentPort, async (task: PageTask) => renderMessages(task));
