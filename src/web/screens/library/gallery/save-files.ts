import { fileUrl } from "../../../components/asset/asset-urls.ts";
import { readAnswer, routePath } from "../../../data/client.ts";
import { newIdempotencyKey } from "../../../data/idempotency-key.ts";
import { type ActionTarget, toSelection } from "../../../data/queries/library.queries.ts";

/**
 * Makes the browser save one ZIP of any number of files. A form names them, because an address
 * can't name thousands, and only a form's or an address's answer is saved as it arrives.
 * @param onError called with the server's refusal, which the hidden frame receives instead
 */
export function saveZip(
  projectId: string,
  target: ActionTarget,
  onError: (error: unknown) => void,
): void {
  const frame = document.createElement("iframe");
  frame.name = `zip-${newIdempotencyKey()}`;
  frame.hidden = true;
  const form = document.createElement("form");
  form.method = "post";
  form.action = routePath("downloadSelection", { query: { projectId } });
  form.target = frame.name;
  form.hidden = true;
  const field = document.createElement("input");
  field.name = "json";
  field.value = JSON.stringify(toSelection(target));
  form.append(field);
  document.body.append(frame, form);
  frame.addEventListener("load", () => {
    const page = frame.contentDocument;
    if (page?.URL === "about:blank") return;
    readAnswer(new Response(page?.body.textContent ?? "", { status: 502 })).catch(onError);
    frame.remove();
  });
  form.submit();
  form.remove();
}

/** Makes the browser download an address. */
function saveAddress(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  document.body.append(link);
  link.click();
  link.remove();
}

/** The pause between downloads; without it the browser starts only the last. */
const betweenMs = 250;

export async function saveFiles(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    saveAddress(fileUrl(id, { download: true }));
    await new Promise((resolve) => setTimeout(resolve, betweenMs));
  }
}
