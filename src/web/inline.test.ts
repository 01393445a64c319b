import { expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import { inlineClasses } from "./inline-classes.ts";
import { inlineIcons } from "./inline-icons.ts";
import { inlineLimits } from "./inline-limits.ts";

type Transform = { handler: (code: string) => { code: string } | Promise<{ code: string }> };
const transformed = async ({ transform }: { transform?: unknown }, code: string) =>
  (await (transform as Transform).handler(code)).code;

const importsOf = (use: string) =>
  transformed(
    inlineClasses()[0] ?? {},
    `import styles from "./a.module.css";\nimport other from "./b.module.css";\n${use}`,
  );

it("class names are imported individually if each use is static, and as an object otherwise", async () => {
  const one = 'import * as styles from "./a.module.css"';
  expect(await importsOf("<i className={classes(styles.a, styles.b)} />")).toContain(one);
  for (const use of ["styles.a + styles[tone]", "draw(styles)", "styles.a + styles.default"])
    expect(await importsOf(use)).not.toContain(one);
});

it("icons are inlined where they are drawn, by any of their names, and types are left out", async () => {
  const code = await transformed(
    inlineIcons(),
    'import {\n  type LucideIcon,\n  Trash2,\n  X as Close,\n} from "lucide-react";\nuse(Trash2, Close);',
  );
  expect(code).toMatch(/const Trash2 = .*"d":"M10 11v6"/);
  expect(code).toMatch(/const Close = .*"d":"M18 6 6 18"/);
  expect(code).not.toMatch(/type LucideIcon|from "lucide-react"|"key"/);
});

it("an icon missing from the package fails the build", async () => {
  const code = 'import { NoSuchIcon } from "lucide-react";';
  await expect(transformed(inlineIcons(), code)).rejects.toThrow("NoSuchIcon");
});

it("a limit is inlined as a number where it is read, and a field of the same name isn't", async () => {
  const code = "limits.nameCharacters + facts.limits.nameCharacters";
  expect(await transformed(inlineLimits(), code)).toBe(
    `(${limits.nameCharacters}) + facts.limits.nameCharacters`,
  );
});
