import type { Json } from "#contract/json.ts";
import { t } from "../../messages/t.ts";
import { Field } from "../../ui/controls/field.tsx";
import { Switch } from "../../ui/controls/switch.tsx";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { Part } from "../../ui/part.tsx";
import { ChecksControl, ChoiceControl } from "./choice-control.tsx";
import type { ControlProps, ControlViewProps, FieldLabels } from "./control-props.ts";
import { useForm } from "./form-context.ts";
import type { FormField } from "./form-model.ts";
import type { RareKind } from "./rare-control.tsx";
import { SizeControl } from "./size-control.tsx";
import { NumberControl, SeedControl, TextControl } from "./text-control.tsx";

const RareControl = lazyPart(() =>
  import("./rare-control.tsx").then(({ RareControl }) => RareControl),
);

export type FieldViewProps = {
  path: string;
  field: FormField;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
};

/** One property of an object. */
export function FieldView({ path, field, value, onChange }: FieldViewProps) {
  const { label, hint, isRequired, fallback, control } = field;
  return <ControlView {...{ path, control, label, hint, isRequired, fallback, value, onChange }} />;
}

/** Renders a value with its kind of control. */
export function ControlView({
  path,
  control,
  label,
  hint,
  isRequired,
  fallback,
  value,
  onChange,
  aside,
  isLabelHidden,
}: ControlViewProps) {
  const { errors, onTouch } = useForm();
  const shared: FieldLabels = {
    label,
    hint,
    error: errors[path],
    required: isRequired,
    aside,
    isLabelHidden,
  };
  const change = (next: Json | undefined) => {
    onTouch(path);
    onChange(next);
  };
  const rest = { path, value: value ?? undefined, fallback, onChange: change, shared };
  switch (control.kind) {
    case "text":
      return <TextControl {...rest} control={control} />;
    case "number":
      return <NumberControl {...rest} control={control} />;
    case "seed":
      return <SeedControl {...rest} control={control} />;
    case "switch":
      return <SwitchControl {...rest} control={control} />;
    case "choice":
      return <ChoiceControl {...rest} control={control} />;
    case "checks":
      return <ChecksControl {...rest} control={control} />;
    case "size":
      return <SizeControl {...rest} control={control} />;
    case "file":
    case "files":
      return <FileControl {...rest} control={control} />;
    default:
      return (
        <Part fallback={<RarePlace kind={control.kind} shared={shared} />}>
          <RareControl {...rest} control={control} />
        </Part>
      );
  }
}

const heights = {
  color: 34,
  list: 28,
  group: 28,
  variants: 34,
  json: 76,
} as const satisfies Record<RareKind, number>;

/** A placeholder for a control that is loading, with its label and about its height. */
function RarePlace({ kind, shared }: { kind: RareKind; shared: FieldLabels }) {
  return (
    <Field {...shared} isGroup>
      {() => (
        <span role="status" aria-busy aria-label={t("ui.loading")}>
          <Skeleton height={heights[kind]} radius={7} />
        </span>
      )}
    </Field>
  );
}

function SwitchControl({ value, fallback, onChange, shared }: ControlProps<"switch">) {
  const { isDisabled } = useForm();
  const { label, hint, error } = shared;
  return (
    <Switch
      label={label}
      hint={error ?? hint}
      checked={(value ?? fallback) === true}
      disabled={isDisabled}
      onCheckedChange={onChange}
    />
  );
}

function FileControl({ path, control, value, onChange, shared }: ControlProps<"file" | "files">) {
  const { isDisabled, renderFile } = useForm();
  const isList = control.kind === "files";
  const given = Array.isArray(value) ? value : [value];
  const chosen = given.filter((each) => typeof each === "string" && each !== "") as string[];
  const most = isList ? control.most : 1;
  const change = (next: string[]) => {
    if (next.length === 0) onChange(undefined);
    else onChange(isList ? next : next[0]);
  };
  const count = isList && Number.isFinite(most) ? `${chosen.length} / ${most}` : undefined;
  return (
    <Field {...shared} aside={count ?? shared.aside} isGroup>
      {({ id, "aria-describedby": describedBy }) =>
        renderFile({
          path,
          label: shared.label,
          id,
          describedBy,
          accepts: control.accepts,
          value: chosen,
          most,
          isDisabled,
          onChange: change,
        })
      }
    </Field>
  );
}
