import { cleanText, type Provenance, turnsDirection } from "#contract/entities.ts";
import { readCbor } from "./cbor.ts";
import { joinSpans, Malformed, type ReadAt, type Span } from "./file-bytes.ts";
import { findMetadata } from "./find-metadata.ts";
import { type Box, type Budget, listBoxes, openSuperBox, type SuperBox } from "./jumbf.ts";

/** The last twelve bytes of each C2PA type; the first four are its name. */
const c2paTypes = "00110010800000aa00389b71";
const typeOf = (name: string): string =>
  [...name].map((letter) => letter.charCodeAt(0).toString(16)).join("") + c2paTypes;
const storeType = typeOf("c2pa");
/** A manifest, and an update manifest. */
const manifestTypes = [typeOf("c2ma"), typeOf("c2um")];

/** A manifest has some tens of boxes, and a store one manifest for each editing step. */
const maxBoxes = 2_000;
/**
 * The limit for all decoded CBOR. Claims and lists of actions take a few KB; large parts of a
 * manifest are pictures, which are skipped.
 */
const maxCbor = 256 * 1024;
const maxXmp = 256 * 1024;
const maxName = 200;

/**
 * Reads a file's statement of its origin: its content credentials (C2PA), and the digital source
 * type named by them or by its XMP. Signatures aren't verified, so anyone can forge the statement.
 * Time and memory are bounded for any input.
 * @param readAt reads up to that many bytes from that offset, fewer at the file's end
 * @returns null if the file states nothing
 */
export function readProvenance(readAt: ReadAt, size: number): Provenance | null {
  const { jumbf, xmp } = unlessMalformed(() => findMetadata(readAt, size)) ?? {
    jumbf: [],
    xmp: [],
  };
  const claimed = firstOf(jumbf, (spans) => readStore(readAt, spans));
  const digitalSourceType =
    claimed?.digitalSourceType ?? firstOf(xmp, (span) => readXmp(readAt, span)) ?? null;
  if (!claimed && digitalSourceType === null) return null;
  return {
    credentials: claimed ? { claimGenerator: claimed.claimGenerator, isVerified: false } : null,
    digitalSourceType,
  };
}

type Claimed = { claimGenerator: string | null; digitalSourceType: string | null };

/** Undefined if this isn't a manifest store. A store that can't be read further still counts. */
function readStore(readAt: ReadAt, spans: readonly Span[]): Claimed | undefined {
  const joined = joinSpans(readAt, spans);
  const budget = { boxesLeft: maxBoxes };
  const store = unlessMalformed(() => {
    const [box] = listBoxes(joined.readAt, { start: 0, end: joined.size }, budget);
    return box && openSuperBox(joined.readAt, box, budget);
  });
  if (store?.uuid !== storeType) return undefined;
  const claimed: Claimed = { claimGenerator: null, digitalSourceType: null };
  unlessMalformed(() => readManifest(joined.readAt, store, budget, claimed));
  return claimed;
}

/**
 * Reads the file's own manifest, which is the last in the store; earlier ones belong to its
 * sources.
 */
function readManifest(readAt: ReadAt, store: SuperBox, budget: Budget, claimed: Claimed): void {
  let cborLeft = maxCbor;
  const open = (box: Box) => unlessMalformed(() => openSuperBox(readAt, box, budget));
  const contentOf = ({ boxes }: SuperBox): unknown => {
    const content = boxes.find(({ type }) => type === "cbor");
    const bytes = content ? content.end - content.start : 0;
    if (!content || bytes > cborLeft) return undefined;
    cborLeft -= bytes;
    return unlessMalformed(() => readCbor(readAt(content.start, bytes)));
  };
  const last = store.boxes.findLast(({ type }) => type === "jumb");
  const manifest = last && open(last);
  if (!manifest || !manifestTypes.includes(manifest.uuid)) return;
  for (const box of manifest.boxes) {
    const part = open(box);
    if (part && /^c2pa\.claim(\.v2)?$/.test(part.label))
      claimed.claimGenerator ??= generatorOf(contentOf(part));
    if (part?.label !== "c2pa.assertions") continue;
    for (const assertion of part.boxes) {
      const opened = open(assertion);
      if (opened && /^c2pa\.actions(\.v2)?(__\d+)?$/.test(opened.label))
        claimed.digitalSourceType ??= sourceTypeOf(contentOf(opened));
    }
  }
}

/**
 * The program's name. Older claims use the format of browsers: "Adobe_Firefly/1.0 c2pa-rs/0.25".
 */
function generatorOf(claim: unknown): string | null {
  const info = fieldOf(claim, "claim_generator_info");
  const named = fieldOf(Array.isArray(info) ? info[0] : info, "name");
  const agent = fieldOf(claim, "claim_generator");
  if (typeof named === "string") return cleanName(named);
  return typeof agent === "string" ? cleanName(agent.split("/")[0]!) : null;
}

/** The source type of the file's creation, or else of a later action. */
function sourceTypeOf(assertion: unknown): string | null {
  const actions = fieldOf(assertion, "actions");
  if (!Array.isArray(actions)) return null;
  const created = actions.filter((action) => fieldOf(action, "action") === "c2pa.created");
  return (
    firstOf([...created, ...actions], (action) => {
      const type = fieldOf(action, "digitalSourceType");
      return typeof type === "string"
        ? /^https?:\/\/(?:cv\.iptc\.org\/newscodes|c2pa\.org)\/digitalsourcetype\/([A-Za-z]{1,64})$/.exec(
            type,
          )?.[1]
        : undefined;
    }) ?? null
  );
}

/** Matches an attribute, an element's text or its resource, under any namespace prefix. */
const xmpSourceType =
  /\bDigitalSourceType(?:\s*=\s*["']|\s*>\s*|\s+rdf:resource\s*=\s*["'])https?:\/\/cv\.iptc\.org\/newscodes\/digitalsourcetype\/([A-Za-z]{1,64})\b/;

function readXmp(readAt: ReadAt, { start, bytes }: Span): string | undefined {
  const text = new TextDecoder().decode(readAt(start, Math.min(bytes, maxXmp)));
  return xmpSourceType.exec(text)?.[1];
}

const fieldOf = (value: unknown, name: string): unknown =>
  value instanceof Map ? value.get(name) : undefined;

/** Reduces a name to one line, because it is shown inside our own sentences. */
function cleanName(text: string): string | null {
  // Cut first, because normalizing a long run of combining marks takes quadratic time.
  const line = text
    .slice(0, 4 * maxName)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .replace(turnsDirection, "");
  const characters = Array.from(cleanText(line).normalize("NFC").trim());
  return characters.slice(0, maxName).join("") || null;
}

function firstOf<T, R>(
  values: readonly T[],
  find: (value: T) => R | null | undefined,
): R | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== null && found !== undefined) return found;
  }
  return undefined;
}

function unlessMalformed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
