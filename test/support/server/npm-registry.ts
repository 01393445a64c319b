import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** A package in a registry. Paths under bin/ are executable. */
export type RegistryPackage = { name: string; version: string; files: Record<string, string> };

export type NpmRegistry = {
  url: string;
  /** Requested paths, in order. */
  requests: string[];
  /** A lockfile's integrity hash of this package. */
  integrity(name: string): string;
  /** Holds all answers until it is called with null. */
  hold(until: Promise<void> | null): void;
  stop(): Promise<void>;
};

const BLOCK = 512;

/** One file as a POSIX ustar entry: a 512-byte header, then the padded content. */
function tarEntry(path: string, text: string): Buffer {
  const content = Buffer.from(text);
  const header = Buffer.alloc(BLOCK);
  header.write(`package/${path}`, 0, 100);
  header.write(path.startsWith("bin/") ? "0000755\0" : "0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
}

function pack({ name, version, files }: RegistryPackage): Buffer {
  const manifest = JSON.stringify({
    name,
    version,
    type: "module",
    ...JSON.parse(files["package.json"] ?? "{}"),
  });
  const entries = Object.entries({ ...files, "package.json": manifest }).map(([path, text]) =>
    tarEntry(path, text),
  );
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(BLOCK * 2)]));
}

/**
 * A small npm registry on 127.0.0.1 with these packages, each in one version; everything else
 * answers 404.
 * @param filesAt the part of a file's path between the package's name and the file's; "-" at most
 *   registries
 */
export async function startNpmRegistry(
  packages: RegistryPackage[],
  filesAt = "-",
): Promise<NpmRegistry> {
  const held = packages.map((entry) => ({ ...entry, tarball: pack(entry) }));
  const integrity = (tarball: Buffer) =>
    `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const requests: string[] = [];
  let gate: Promise<void> | null = null;
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    requests.push(path);
    if (gate) await gate;
    const found = held.find(
      ({ name }) => path === `/${name}` || path.startsWith(`/${name}/${filesAt}/`),
    );
    if (!found || request.method !== "GET") {
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    const { name, version, tarball } = found;
    if (path.endsWith(".tgz")) {
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(tarball);
      return;
    }
    const dist = {
      tarball: `${url}${name}/${filesAt}/${name}-${version}.tgz`,
      integrity: integrity(tarball),
    };
    const manifest = { name, version, dist };
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        name,
        "dist-tags": { latest: version },
        versions: { [version]: manifest },
      }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    requests,
    integrity: (name) => {
      const found = held.find((entry) => entry.name === name);
      if (!found) throw new Error(`${name} is not in this registry`);
      return integrity(found.tarball);
    },
    hold: (until) => {
      gate = until;
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
