import { components } from "./en/components.ts";
import { form } from "./en/form.ts";
import { screens } from "./en/screens.ts";
import { shell } from "./en/shell.ts";
import { ui } from "./en/ui.ts";

/** Every text of the program by id, as ICU; an area is a file. Compiled at build by compile-messages.ts. */
export const en = { ...ui, ...shell, ...screens, ...components, ...form } as const;
