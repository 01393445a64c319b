import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset } from "#contract/entities.ts";
import { type Chat, composer, startChat } from "../../support/browser/chat-in-browser.ts";
import { button } from "../../support/browser/locators.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { connectKind } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/** A browser whose microphone beeps, and whose person always allows it. */
const microphone = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];
const models = JSON.stringify([
  { id: "sim-transcription", task: "transcription" },
  { id: "sim-speech", task: "speech" },
]);
let chat: Chat;

beforeAll(async () => {
  chat = await startChat(microphone);
  const { url: api, key } = chat.simulator;
  await connectKind(chat.studio.api, "openai-compatible", { api, key, models }, "Voices");
});
afterAll(() => chat?.stop());

const panel = (page: Page) => page.getByRole("group", { name: "Dictate" });
const dictated = () => chat.simulator.posts.filter(({ path }) => path === "/audio/transcriptions");
async function assets(): Promise<Asset[]> {
  return (
    await chat.studio.api.get<{ assets: Asset[] }>(`/assets?projectId=${chat.studio.api.projectId}`)
  ).assets;
}
const noFault = async (page: Page) => expect(await findBarriers(page)).toEqual([]);

async function record(page: Page): Promise<void> {
  await button(page, "Dictate").click();
  await panel(page).getByText("Recording", { exact: true }).waitFor();
  // A second of sound is enough to transcribe.
  await panel(page).getByText("0:01").waitFor();
}

it("dictated text goes to the caret, is undone like typing, and its recording is saved", async () => {
  const page = await chat.openPage("/chat");
  await composer(page).fill("Dear Ada, the end");
  await composer(page).evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(9, 9));
  await record(page);
  await noFault(page);
  chat.simulator.script({ text: "the tide is low" });
  await page.keyboard.press("Enter");
  await soon(() => composer(page).inputValue()).toBe("Dear Ada, the tide is low the end");
  await panel(page).waitFor({ state: "detached" });
  await page.keyboard.press("Control+z");
  expect(await composer(page).inputValue()).toBe("Dear Ada, the end");
  const kept = await assets();
  expect(kept.find(({ mime }) => mime === "audio/webm")).toMatchObject({
    kind: "audio",
    visibility: "author",
  });
  expect(dictated()).toHaveLength(1);
});

it("a phone that is rotated keeps recording", async () => {
  const page = await chat.openPage("/chat");
  await record(page);
  const before = dictated().length;
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await keys.getByText("Discard the recording").waitFor();
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
  // The keys of the model picker are its own.
  await button(panel(page), /^Transcription model: /).click();
  const search = page.getByPlaceholder("Search models");
  await search.fill("sim-transcription");
  await search.press("Enter");
  await search.waitFor({ state: "detached" });
  await button(panel(page), "Transcription model: sim-transcription. Choose another").click();
  await search.press("Escape");
  await search.waitFor({ state: "detached" });
  for (const width of [390, 844, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await panel(page).getByText("Recording", { exact: true }).waitFor();
  }
  await page.setViewportSize({ width: 1_280, height: 800 });
  chat.simulator.script({ text: "still here" });
  await button(page, "Transcribe").click();
  await soon(() => composer(page).inputValue()).toBe("still here");
  expect(dictated().length - before).toBe(1);
});

it("a page that was closed during a transcription finds its text in the run", async () => {
  const page = await chat.openPage("/chat");
  await record(page);
  chat.simulator.script({ text: "what I said before", gate: { name: "slow", at: "head" } });
  await button(page, "Transcribe").click();
  await panel(page).getByText("Transcribing").waitFor();
  await page.reload();
  await panel(page).getByText("Transcribing").waitFor();
  chat.simulator.open("slow");
  await panel(page).getByText("what I said before").waitFor();
  expect(await composer(page).inputValue()).toBe("");
  await noFault(page);
  await button(page, "Insert into draft").click();
  await soon(() => composer(page).inputValue()).toBe("what I said before");
  await page.reload();
  await composer(page).waitFor();
  expect(await panel(page).count()).toBe(0);
});

it("a failed transcription keeps the recording and can be retried", async () => {
  const page = await chat.openPage("/chat");
  await record(page);
  chat.simulator.script({ fault: { kind: "status", status: 400 } });
  await button(page, "Transcribe").click();
  await panel(page).getByText("The recording is saved in your library").waitFor();
  await noFault(page);
  chat.simulator.script({ text: "at the second try" });
  await button(panel(page), "Try again").click();
  await soon(() => composer(page).inputValue()).toContain("at the second try");
});

it("Escape discards a recording, and Undo restores it", async () => {
  const page = await chat.openPage("/chat");
  await composer(page).fill("");
  const before = dictated().length;
  await record(page);
  await panel(page).getByText("0:03").waitFor();
  await page.keyboard.press("Escape");
  await panel(page).waitFor({ state: "detached" });
  expect(dictated()).toHaveLength(before);
  chat.simulator.script({ text: "kept all the same" });
  await button(page, "Undo").click();
  await panel(page).getByText("kept all the same").waitFor();
});

it("a microphone without permission is reported with the next step", async () => {
  const page = await chat.openPage("/chat");
  await page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = () =>
      Promise.reject(new DOMException("no", "NotAllowedError"));
  });
  await button(page, "Dictate").click();
  await panel(page).getByText("Microphone access is blocked").waitFor();
  await noFault(page);
});

it("a photo from the computer's camera is attached, and a blocked camera or plain http is explained", async () => {
  const page = await chat.openPage("/chat");
  const open = async () => {
    await button(page, "Attach files").click();
    await page.getByRole("menuitem", { name: "Take a photo" }).click();
  };
  await page.evaluate(() => {
    const cameras: MediaStream[] = [];
    const { mediaDevices } = navigator;
    const request = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = async (wanted) => {
      const camera = await request(wanted);
      cameras.push(camera);
      return camera;
    };
    Object.assign(window, { cameras });
  });
  /** The states of the cameras that the page has opened. */
  const cameras = () =>
    page.evaluate(() =>
      (window as unknown as { cameras: MediaStream[] }).cameras.flatMap((camera) =>
        camera.getTracks().map(({ readyState }) => readyState),
      ),
    );
  await open();
  const dialog = page.getByRole("dialog", { name: "Take a photo" });
  await soon(() =>
    button(dialog, "Take photo").evaluate((own) => own === document.activeElement),
  ).toBe(true);
  expect(await cameras()).toEqual(["live"]);
  await button(dialog, "Take photo").click();
  await button(dialog, "Retake").click();
  await button(dialog, "Take photo").click();
  await noFault(page);
  await button(dialog, "Attach photo").click();
  await button(page, "Remove photo.jpg").waitFor();
  expect(await cameras()).toEqual(["ended"]);
  const isFree = () => page.getByRole("progressbar", { name: /Uploading/ }).count();
  await soon(isFree).toBe(0);
  const photo = (await assets()).find(({ title }) => title.startsWith("photo"));
  expect(photo).toMatchObject({ kind: "image", mime: "image/jpeg" });
  expect(photo!.width! * photo!.height!).toBeGreaterThan(64 * 64);

  await page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = () =>
      Promise.reject(new DOMException("no", "NotAllowedError"));
  });
  await open();
  const blocked = page.getByRole("dialog", { name: "Camera access is blocked" });
  await blocked.getByText(/Allow it in the browser’s address bar/).waitFor();
  await noFault(page);
  await page.evaluate(() => Reflect.deleteProperty(navigator.mediaDevices, "getUserMedia"));
  await button(blocked, "Try again").click();
  await button(dialog, "Take photo").and(page.locator(":enabled")).waitFor();
  await button(dialog, "Close").click();
  await page.evaluate(() => Object.defineProperty(window, "isSecureContext", { value: false }));
  await open();
  await page
    .getByRole("dialog", { name: "The camera needs https" })
    .getByText(/Use https, or http:\/\/localhost/)
    .waitFor();
});

const player = (page: Page) => page.getByRole("group", { name: "Read aloud" });
const spoken = () =>
  chat.simulator.posts
    .filter(({ path }) => path === "/audio/speech")
    .map(({ body }) => (body as { input: string }).input);
/** A speech model that this person has chosen. Its price is unknown, so it asks first. */
async function openAnswer(answer: string): Promise<{ page: Page; open: () => Promise<void> }> {
  const { conversation } = await chat.converse("read this", answer);
  const page = await chat.openPage(`/chat/${conversation.id}`);
  return {
    page,
    open: async () => {
      await button(page, "Read aloud").click();
      await player(page).waitFor();
    },
  };
}
const chooseVoice = async (page: Page): Promise<void> => {
  await button(player(page), /^Speech model: /).click();
  await page.getByPlaceholder("Search models").fill("sim-speech");
  await page.getByPlaceholder("Search models").press("Enter");
  await button(player(page), "Speech model: sim-speech. Choose another").waitFor();
};

it("an answer is read aloud free of charge by the built-in voice, and a second press makes no new run", async () => {
  const { page, open } = await openAnswer("# Tides\n\nThe **tide** is low.");
  await open();
  await player(page).getByRole("slider", { name: "Playback position" }).waitFor();
  await soon(() =>
    player(page)
      .locator("audio")
      .evaluate((audio: HTMLAudioElement) => audio.duration > 0),
  ).toBe(true);
  await noFault(page);
  const made = (await assets()).filter(({ kind }) => kind === "audio").length;
  await button(player(page), "Close").click();
  await open();
  await player(page).getByRole("slider", { name: "Playback position" }).waitFor();
  expect((await assets()).filter(({ kind }) => kind === "audio")).toHaveLength(made);
});

it("a voice that may cost money asks first, speaks in parts, and its sound survives a reload", async () => {
  const paragraph = `${"The tide comes and goes. ".repeat(120).trim()}`;
  const { page, open } = await openAnswer(
    `${paragraph}\n\n${"And again it comes. ".repeat(120).trim()}\n\n\`\`\`\ncode()\n\`\`\``,
  );
  await open();
  await chooseVoice(page);
  await player(page)
    .getByText("sim-speech can read this aloud: price unknown, in 2 parts.")
    .waitFor();
  expect(spoken()).toEqual([]);
  await noFault(page);
  await button(player(page), "Read aloud").click();
  await player(page).getByText("Part 1 of 2").waitFor();
  await soon(async () => spoken().length).toBe(2);
  expect(spoken()[0]).toBe(paragraph);
  expect(spoken()[1]).toContain("Code block, not read");
  await page.reload();
  await open();
  await player(page).getByText("Part 1 of 2").waitFor();
  await button(player(page), "Next part").click();
  await player(page).getByText("Part 2 of 2").waitFor();
  expect(spoken()).toHaveLength(2);
});
