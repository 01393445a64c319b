import { ColorControl } from "./color-control.tsx";
import type { ControlProps } from "./control-props.ts";
import { JsonControl } from "./json-control.tsx";
import { GroupControl, ListControl, VariantsControl } from "./nested-control.tsx";

export type RareKind = "color" | "list" | "group" | "variants" | "json";

/** Rarely used controls, in a separate chunk. */
export function RareControl({ control, ...rest }: ControlProps<RareKind>) {
  switch (control.kind) {
    case "color":
      return <ColorControl {...rest} control={control} />;
    case "list":
      return <ListControl {...rest} control={control} />;
    case "group":
      return <GroupControl {...rest} control={control} />;
    case "variants":
      return <VariantsControl {...rest} control={control} />;
    case "json":
      return <JsonControl {...rest} control={control} />;
  }
}
