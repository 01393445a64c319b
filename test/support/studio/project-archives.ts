import { createHash } from "node:crypto";
import { expect } from "vitest";
import { ZipFile } from "yazl";
import type { ProjectImport } from "#contract/entities.ts";
import { readZip } from "../read-zip.ts";
import { until } from "../server/instance.ts";

export const sha256Of = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

export type Line = Record<string, unknown> & { id: string };
/** An unpacked archive: its entries in order, and the rows of its tables. */
export type Parts = { entries: Map<string, Buffer> };

export const rowsOf = (parts: Parts, table: string): Line[] =>
  parts.entries
    .get(`${table}.jsonl`)!
    .toString()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

export function setRows(parts: Parts, table: string, rows: readonly unknown[]): void {
  const text = rows
    .map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`)
    .join("");
  parts.entries.set(`${table}.jsonl`, Buffer.from(text));
}

export const jsonOf = <T>(parts: Parts, name: string): T =>
  JSON.parse(parts.entries.get(name)!.toString()) as T;
export const setJson = (parts: Parts, name: string, value: unknown): void =>
  void parts.entries.set(name, Buffer.from(JSON.stringify(value)));

export const takeApart = async (zip: Buffer): Promise<Parts> => ({ entries: await readZip(zip) });

type Manifest = {
  project: { sha256: string };
  tables: { name: string; rows: number; sha256: string }[];
  files: { count: number; bytes: number };
};

/** Updates the manifest to match the changed entries, like a forger would. */
export function sign(parts: Parts): void {
  const manifest = jsonOf<Manifest>(parts, "manifest.json");
  manifest.project.sha256 = sha256Of(parts.entries.get("project.json")!);
  for (const table of manifest.tables) {
    const bytes = parts.entries.get(`${table.name}.jsonl`)!;
    Object.assign(table, {
      rows: bytes.toString().split("\n").filter(Boolean).length,
      sha256: sha256Of(bytes),
    });
  }
  const files = [...parts.entries].filter(([name]) => name.startsWith("files/"));
  manifest.files = {
    count: files.length,
    bytes: files.reduce((sum, [, bytes]) => sum + bytes.length, 0),
  };
  setJson(parts, "manifest.json", manifest);
}

/** Packs entries unchanged, like a person's own tools would. */
export async function pack({ entries }: Parts, compress = false): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of entries) zip.addBuffer(bytes, name, { compress });
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

type Person = { url: string; cookie: string };

export async function exportProject({ url, cookie }: Person, projectId: string): Promise<Buffer> {
  const answer = await fetch(`${url}/api/v1/projects/${projectId}/export`, { headers: { cookie } });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

export async function sendArchive(
  { url, cookie }: Person,
  zip: Uint8Array,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${url}/api/v1/imports`, {
    method: "POST",
    headers: { cookie },
    body: zip as BodyInit,
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

export async function listImports({ url, cookie }: Person): Promise<ProjectImport[]> {
  const answer = await fetch(`${url}/api/v1/imports`, { headers: { cookie } });
  return ((await answer.json()) as { imports: ProjectImport[] }).imports;
}

/** Sends an archive and waits until its import has ended. */
export async function importArchive(person: Person, zip: Uint8Array): Promise<ProjectImport> {
  const { status, body } = await sendArchive(person, zip);
  expect([status, body.detail]).toEqual([200, undefined]);
  return endOf(person, (body.import as ProjectImport).id);
}

export const endOf = (person: Person, id: string): Promise<ProjectImport> =>
  until(`the import ${id} has ended`, async () => {
    const found = (await listImports(person)).find((one) => one.id === id);
    return found && found.state !== "open" && found;
  });
