import type { JSHandle, Locator, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import type { Conversation, Message, ModelRef, Run } from "#contract/entities.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { soon } from "../soon.ts";
import { launchBrowser } from "./chromium.ts";
import type { ProfileOptions } from "./profiles.ts";
import { savedEntry } from "./saved-entry.ts";
import { type Api, connectKind, startStudio } from "./studio-in-browser.ts";

export const composer = (page: Page): Locator =>
  page.getByRole("textbox", { name: "Message", exact: true });
export const thread = (page: Page): Locator => page.getByRole("region", { name: "Conversation" });
export const textOf = async (shown: Locator): Promise<string> =>
  ((await shown.textContent()) ?? "").trim();

export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
}

/** Records what a screen reader announces from now on, each change once. */
export const listen = (page: Page): Promise<JSHandle<string[]>> =>
  page.evaluateHandle(() => {
    const messages: string[] = [];
    new MutationObserver(() => {
      const words = [...document.querySelectorAll('[aria-live="polite"]')]
        .map((region) => region.textContent ?? "")
        .join("");
      if (words && messages.at(-1) !== words) messages.push(words);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    return messages;
  });

/** A chat request's body as the simulator reads it. */
export type ChatBody = {
  messages: { role: string; content: { type: string; text?: string }[] }[];
  max_tokens?: number;
  max_completion_tokens?: number;
};

/** Makes every page open as if this model was the last one used, until another is chosen. */
export async function rememberModel(
  page: Page,
  api: Api,
  { connectionId, modelId }: ModelRef,
): Promise<void> {
  const { user } = await api.get<{ user: { id: string } }>("/me");
  await page.addInitScript(
    ([key, value]) => {
      if (localStorage.getItem(key) === null) localStorage.setItem(key, value);
    },
    savedEntry("choice", user.id, "chat-model", `${connectionId} ${modelId}`),
  );
}

/** A browser, a studio, and a simulator connected to it. */
export async function startChat(browserFlags: readonly string[] = []) {
  const [browser, studio, simulator] = await Promise.all([
    launchBrowser(browserFlags),
    startStudio(),
    startOpenAiCompatible(),
  ]);
  const connectionId = await connectKind(
    studio.api,
    "openai-compatible",
    { api: simulator.url, key: simulator.key },
    "Studio key",
  );

  /** Opens a page in a separate browser profile, closed with the test. */
  async function openProfile(options?: ProfileOptions): Promise<Page> {
    const { page, context } = await studio.openAs(browser, options);
    onTestFinished(() => context.close());
    await rememberModel(page, studio.api, { connectionId, modelId: "owner/sim-vision" });
    return page;
  }
  const stateOf = async (runId: string) =>
    (await studio.api.get<{ run: Run }>(`/runs/${runId}`)).run.state;

  return {
    browser,
    studio,
    stateOf,
    simulator,
    connectionId,
    openProfile,
    async openPage(path: string): Promise<Page> {
      const page = await openProfile({ permissions: ["clipboard-read", "clipboard-write"] });
      await page.goto(path);
      await composer(page).waitFor();
      return page;
    },
    /** Creates a conversation over HTTP, with a complete answer from the simulator. */
    async converse(
      text: string,
      answer: string,
    ): Promise<{ conversation: Conversation; message: Message; run: Run }> {
      const { conversation } = await studio.api.send<{ conversation: Conversation }>(
        "POST",
        "/conversations",
        {
          projectId: studio.api.projectId,
        },
      );
      simulator.script({ text: answer });
      const messages = await studio.api.send<{ message: Message; run: Run }>(
        "POST",
        `/conversations/${conversation.id}/messages`,
        {
          parentId: null,
          text,
          ask: { model: { connectionId, modelId: "sim-chat" } },
        },
      );
      await soon(() => stateOf(messages.run.id)).toBe("succeeded");
      return { conversation, message: messages.message, run: messages.run };
    },
    /** The messages of the conversation shown on the page. */
    async messagesOf(page: Page): Promise<Message[]> {
      const id = new URL(page.url()).pathname.split("/").at(-1);
      return (await studio.api.get<{ messages: Message[] }>(`/conversations/${id}`)).messages;
    },
    async stop(): Promise<void> {
      await browser.close();
      await simulator.stop();
      await studio.stop();
    },
  };
}
export type Chat = Awaited<ReturnType<typeof startChat>>;
