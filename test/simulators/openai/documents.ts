import { z } from "zod";
import type { Refusal } from "../kit/server.ts";
import type { ResponsesBody } from "./strict.ts";

export type StoredFile = { id: string; filename: string; text: string; expiresAfter: number };
type Store = { id: string; fileIds: string[]; looks: number };

/**
 * The subset of https://platform.openai.com/docs/api-reference/vector-stores/create that is used.
 */
const newStore = z.strictObject({
  name: z.string().optional(),
  file_ids: z.array(z.string().min(1)).min(1).max(500),
  expires_after: z.strictObject({
    anchor: z.literal("last_active_at"),
    days: z.int().min(1).max(365),
  }),
});

/** https://platform.openai.com/docs/assistants/tools/file-search/supported-files */
const read = /\.(c|cpp|cs|css|doc|docx|go|html|java|js|json|md|pdf|php|pptx|py|rb|sh|tex|ts|txt)$/i;

type Said = { body: object } | { refused: Refusal };
const refused = (status: number, message: string): Said => ({
  refused: {
    status,
    body: { error: { message, type: "invalid_request_error", param: null, code: null } },
  },
});

/** Uploaded files and their vector stores. Files that contain "unreadable" fail to be indexed. */
export function createDocuments() {
  const files = new Map<string, StoredFile>();
  const stores = new Map<string, Store>();
  let made = 0;
  let stalled = false;

  async function upload(contentType: string, body: Buffer): Promise<Said> {
    const form = await new Response(new Uint8Array(body), {
      headers: { "content-type": contentType },
    })
      .formData()
      .catch(() => null);
    const [file, seconds] = [form?.get("file"), Number(form?.get("expires_after[seconds]"))];
    if (!(file instanceof File) || file.size === 0) return refused(400, "'file' is required");
    if (form?.get("purpose") !== "assistants") return refused(400, "Invalid purpose.");
    if (form.get("expires_after[anchor]") !== "created_at")
      return refused(400, "Invalid expires_after.");
    if (!Number.isInteger(seconds) || seconds < 3_600 || seconds > 2_592_000)
      return refused(400, "Invalid expires_after.");
    const id = `file-${++made}`;
    const text = await file.text();
    files.set(id, { id, filename: file.name, text, expiresAfter: seconds });
    const facts = { bytes: file.size, filename: file.name, purpose: "assistants" };
    return {
      body: { id, object: "file", created_at: 1_700_000_000, status: "processed", ...facts },
    };
  }

  function create(body: Buffer): Said {
    const asked = newStore.safeParse(JSON.parse(body.toString()));
    if (!asked.success) return refused(400, asked.error.issues[0]!.message);
    const unknown = asked.data.file_ids.find((id) => !files.has(id));
    if (unknown) return refused(404, `No such File object: ${unknown}`);
    const store = { id: `vs_${++made}`, fileIds: asked.data.file_ids, looks: 0 };
    stores.set(store.id, store);
    return { body: toBody(store) };
  }

  const isRead = (id: string): boolean => {
    const file = files.get(id);
    return file !== undefined && read.test(file.filename) && !file.text.includes("unreadable");
  };

  /** In progress when created, completed on the first poll. */
  function toBody({ id, fileIds, looks }: Store) {
    const isDone = looks > 0 && !stalled;
    const failed = isDone ? fileIds.filter((fileId) => !isRead(fileId)).length : 0;
    return {
      id,
      object: "vector_store",
      created_at: 1_700_000_000,
      name: "",
      status: isDone ? "completed" : "in_progress",
      usage_bytes: 0,
      file_counts: {
        in_progress: isDone ? 0 : fileIds.length,
        completed: isDone ? fileIds.length - failed : 0,
        failed,
        cancelled: 0,
        total: fileIds.length,
      },
    };
  }

  function look(path: string, query: URLSearchParams): Said {
    const [, , id = "", files] = path.split("/");
    const store = stores.get(id);
    if (!store) return refused(404, `Vector store with id '${id}' not found.`);
    if (files === undefined) {
      store.looks++;
      return { body: toBody(store) };
    }
    const wanted = store.fileIds.filter((fileId) => !isRead(fileId));
    if (files !== "files" || query.get("filter") !== "failed")
      return refused(400, "Invalid filter.");
    return {
      body: {
        object: "list",
        has_more: false,
        data: wanted.map((fileId) => ({
          id: fileId,
          object: "vector_store.file",
          status: "failed",
          last_error: { code: "invalid_file", message: "The file has no text." },
        })),
      },
    };
  }

  return {
    files,
    /** Undefined for other paths. */
    answer(call: {
      method: string;
      path: string;
      query: URLSearchParams;
      headers: Record<string, string>;
      body: Buffer;
    }): Said | Promise<Said> | undefined {
      const { method, path, query, headers, body } = call;
      if (method === "POST" && path === "/files")
        return upload(headers["content-type"] ?? "", body);
      if (method === "POST" && path === "/vector_stores") return create(body);
      if (method === "GET" && path.startsWith("/vector_stores/")) return look(path, query);
      return undefined;
    },
    /** The API's message for a request that names an unknown store. */
    missing({ tools = [] }: ResponsesBody): string | null {
      const ids = tools.flatMap((tool) =>
        tool.type === "file_search" ? tool.vector_store_ids : [],
      );
      const gone = ids.find((id) => !stores.has(id));
      return gone ? `Vector store with id '${gone}' not found.` : null;
    },
    /** The documents that a request may search. */
    searchedBy: ({ tools = [] }: ResponsesBody): StoredFile[] =>
      tools.flatMap((tool) =>
        tool.type === "file_search"
          ? tool.vector_store_ids.flatMap((id) =>
              (stores.get(id)?.fileIds ?? []).filter(isRead).map((fileId) => files.get(fileId)!),
            )
          : [],
      ),
    /** From now on no store is completed, until `resume`. */
    stall(): void {
      stalled = true;
    },
    resume(): void {
      stalled = false;
    },
    /** Deletes everything early. */
    forget(): void {
      stores.clear();
      files.clear();
    },
  };
}
