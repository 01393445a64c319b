import type { Break } from "./break.ts";

/** What must not get out, what must not get in, and what a reader gets exactly once. */
export const leaks: readonly Break[] = [
  {
    rule: "No request goes to a private address",
    file: "src/providers/outbound/outbound-policy.ts",
    text: 'if (range !== "unicast") return',
    instead: 'if (range === "multicast") return',
    test: "src/providers/outbound/outbound-policy.test.ts",
  },
  {
    rule: "No request goes to a machine's metadata, not even as an admin's own origin",
    file: "src/providers/outbound/outbound-policy.ts",
    text: 'if (range === "linkLocal" || metadataAddresses.has(address.toString()))',
    instead: 'if (scope === "public" && metadataAddresses.has(address.toString()))',
    test: "src/providers/outbound/outbound-policy.test.ts",
  },
  {
    rule: "A redirect leads to a private address only where an admin named that very origin",
    file: "src/providers/outbound/outbound.ts",
    text: 'privateOrigins.has(url.origin) ? "private" : "public"',
    instead: 'privateOrigins.size > 0 ? "private" : "public"',
    test: "src/providers/outbound/outbound.test.ts",
    title: "a loopback server is reached only as an exact origin",
  },
  {
    rule: "A redirect to another origin takes no key along",
    file: "src/providers/outbound/outbound.ts",
    text: "if (next.origin !== url.origin)",
    instead: "if (next.protocol !== url.protocol)",
    test: "src/providers/outbound/outbound.test.ts",
    title: "a redirect to another origin takes no key",
  },
  {
    rule: "A name is refused when any of its addresses is",
    file: "src/providers/outbound/outbound-policy.ts",
    text: "const refused = addresses.find(({ address }) => refuseAddress(address, scope) !== null);",
    instead:
      "const refused = addresses.slice(0, 1).find(({ address }) => refuseAddress(address, scope) !== null);",
    test: "src/providers/outbound/outbound-policy.test.ts",
  },
  {
    rule: "An error that quotes the provider does not repeat the key",
    file: "src/providers/wire/error-words.ts",
    text: 'said.replaceAll(one, "•••")',
    instead: "said.replaceAll(one, one)",
    test: "src/providers/wire/http-errors.test.ts",
  },
  {
    rule: "A link in a model's text leads to the web, mail or our own pages, and runs no script",
    file: "src/web/components/markdown/safe-address.ts",
    text: "return url && schemes.has(url.protocol) ? url.href : null;",
    instead: "return url && schemes.size > 0 ? url.href : null;",
    test: "src/web/components/markdown/safe-address.test.ts",
  },
  {
    rule: "A picture in a model's text is loaded only from our own files",
    file: "src/web/components/markdown/safe-address.ts",
    text: "url && url.origin === origin && filePath",
    instead: "url && filePath",
    test: "src/web/components/markdown/safe-address.test.ts",
  },
  {
    rule: "An HTML or SVG file is downloaded, never shown",
    file: "src/domain/files/file-headers.ts",
    text: "const isShown = type.inline && !file.download;",
    instead: "const isShown = !file.download;",
    test: "src/domain/files/file-headers.test.ts",
  },
  {
    rule: "No cell of a CSV is a formula",
    file: "src/server/files/usage-csv.ts",
    text: "isFormula.test(cell) && !isNumber.test(cell)",
    instead: "isFormula.test(cell) && isNumber.test(cell)",
    test: "test/promises/engine/money/usage.test.ts",
    title: "stays one cell of the CSV, and none begins a formula",
  },
  {
    rule: "An export leaves out other people's private conversations",
    file: "src/store/content/project-export.ts",
    text: '.where((e) => e.or([e("visibility", "=", "project"), e("user_id", "=", of.userId)]))',
    instead: "",
    test: "test/promises/projects/project-archive.test.ts",
    title: "another person's own are not in it",
  },
  {
    rule: "A page shows no event twice, however often the server sends it",
    file: "src/web/data/live.ts",
    text: "frame.events.filter((event) => event.seq > cursor)",
    instead: "frame.events.filter((event) => event.seq > 0 || cursor)",
    test: "src/web/data/live.test.ts",
  },
];
