import { expect, it } from "vitest";
import { type Html, html } from "./html.ts";
import { markdownToHtml } from "./markdown-html.ts";

const htmlOf = (text: string): string => markdownToHtml(text).toString();

it("values in a template are text, and only a template makes HTML", () => {
  const hostile = `"><script>alert('x')</script>&`;
  const inner = html`<b title="${hostile}">${hostile}</b>`;
  const escaped = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;";
  expect(html`<p>${[inner, hostile, null, 7]}</p>`.toString()).toBe(
    `<p><b title="${escaped}">${escaped}</b>${escaped}7</p>`,
  );
  expect(html`${{ toString: () => "<i>" } as unknown as Html}`.toString()).toBe("&lt;i&gt;");
});

it.each([
  "a <img src=x onerror=alert(1)> in a line",
  "<script>alert(1)</script>",
  "<style>*{display:none}</style>",
  "| a |\n|---|\n| <svg onload=alert(1)> |",
  "- <iframe src=javascript:alert(1)>\n- b",
  "> # <object data=x>",
  '```html"><script>\n</code></pre><script>alert(1)</script>\n```',
  "`</code><script>alert(1)</script>`",
  "$</code><script>alert(1)</script>$ and $$</pre><script>$$",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  '[a](https://x.example/"onmouseover="alert(1) "t")',
  '![a"onerror="alert(1)](https://x.example/p.png)',
  "[a][r]\n\n[r]: <javascript:alert(1)>",
  "<https://x.example/'\"><script>alert(1)</script>>",
])("HTML in a model's text stays text: %s", (text) => {
  const shown = htmlOf(text);
  const tags = [...shown.matchAll(/<\/?([a-z0-9]+)([^>]*)>/gi)];
  const allowed =
    /^(p|pre|code|table|thead|tbody|tr|th|td|ul|ol|li|blockquote|h3|h4|a|br|em|strong|del|hr)$/;
  for (const [, name = "", attributes = ""] of tags) {
    expect(name).toMatch(allowed);
    expect(attributes).toMatch(/^( (class|href|rel|start)="[^"<>]*")*$/);
  }
  expect(shown).not.toMatch(/href="(?!https?:|mailto:)/);
});

it.each([
  "javascript:alert(1)",
  "JaVaScRiPt&#58;alert(1)",
  "java&#10;script:alert(1)",
  "data:text/html,x",
  "vbscript:x",
  "file:///etc/passwd",
  "/api/v1/me",
  "//evil.example/x",
])("a link to %s becomes its text", (address) => {
  expect(htmlOf(`[words](<${address}>) ![pic](<${address}>)`)).not.toContain("<a");
});

it("a picture becomes a link, so that a page makes no request to a foreign host", () => {
  expect(htmlOf("![tide](https://x.example/p.png)")).toBe(
    '<p><a href="https://x.example/p.png" rel="noopener noreferrer nofollow">tide</a></p>\n',
  );
});

it("renders the Markdown that models write", () => {
  expect(
    htmlOf("# A\n\nb **c** `d` $e_1$\n\n3. x\n4. y\n\n- [x] done\n\n| a | b |\n|--|-:|\n| 1 | 2 |"),
  ).toMatchInlineSnapshot(`
    "<h3>A</h3>
    <p>b <strong>c</strong> <code>d</code> <code class="tex">e_1</code></p>
    <ol start="3"><li>x</li>
    <li>y</li>
    </ol>
    <ul><li>☑ done</li>
    </ul>
    <table><thead><tr><th class="left">a</th><th class="right">b</th></tr></thead><tbody><tr><td class="left">1</td><td class="right">2</td></tr>
    </tbody></table>
    "
  `);
});
