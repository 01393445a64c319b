import { Plus, Trash2 } from "lucide-react";
import { Fragment } from "react";
import type { Json } from "#contract/json.ts";
import { t } from "../../messages/t.ts";
import { Chip } from "../../ui/controls/chip.tsx";
import { Field } from "../../ui/controls/field.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Segmented } from "../../ui/controls/segmented.tsx";
import { Select } from "../../ui/controls/select.tsx";
import type { ControlProps } from "./control-props.ts";
import { useForm } from "./form-context.ts";
import { isObject, withKey } from "./object-values.ts";
import styles from "./schema-form.module.css";

/** An object in its box. An optional object that isn't set is added with a button. */
export function GroupControl({
  path,
  control,
  value,
  fallback,
  onChange,
  shared,
}: ControlProps<"group">) {
  const { isDisabled, renderControl } = useForm();
  const given = isObject(value) ? value : undefined;
  const shown = given ?? (isObject(fallback) ? fallback : undefined);
  const isOpen = shown !== undefined || shared.required;
  const reset = given && !shared.required && (
    <button
      type="button"
      className={styles.reset}
      disabled={isDisabled}
      onClick={() => onChange(undefined)}
    >
      {t("ui.clear")}
    </button>
  );
  return (
    <Field {...shared} isGroup aside={reset || shared.aside}>
      {() =>
        isOpen ? (
          <div className={styles.group}>
            {control.fields.map(({ name, ...field }) => (
              <Fragment key={name}>
                {renderControl({
                  ...field,
                  path: `${path}.${name}`,
                  value: shown?.[name],
                  onChange: (next) => onChange(withKey(shown ?? {}, name, next)),
                })}
              </Fragment>
            ))}
          </div>
        ) : (
          <Chip
            icon={Plus}
            className={styles.add}
            disabled={isDisabled}
            onClick={() => onChange({})}
          >
            {t("form.use")}
          </Chip>
        )
      }
    </Field>
  );
}

/** A list of values of the same kind. */
export function ListControl({
  path,
  control,
  value,
  fallback,
  onChange,
  shared,
}: ControlProps<"list">) {
  const { isDisabled, renderControl } = useForm();
  const items = Array.isArray(value) ? value : Array.isArray(fallback) ? fallback : [];
  const isBoxed = control.item.kind === "group" || control.item.kind === "variants";
  const set = (place: number, next: Json | undefined) =>
    onChange(items.map((item, each) => (each === place ? (next ?? null) : item)));
  const remove = (place: number) => {
    const rest = items.filter((_, each) => each !== place);
    onChange(rest.length === 0 && !shared.required ? undefined : rest);
  };
  const count = Number.isFinite(control.most)
    ? `${items.length} / ${control.most}`
    : items.length || undefined;
  return (
    <Field {...shared} isGroup aside={count}>
      {() => (
        <div className={styles.list}>
          {items.map((item, index) => {
            const name = t("form.item", { label: shared.label, place: index + 1 });
            const removal = (
              <IconButton
                size="small"
                icon={Trash2}
                label={t("form.removeItem", { label: shared.label, place: index + 1 })}
                disabled={isDisabled || items.length <= control.least}
                onClick={() => remove(index)}
              />
            );
            const view = renderControl({
              path: `${path}.${index}`,
              control: control.item,
              label: name,
              isRequired: true,
              aside: isBoxed ? removal : undefined,
              isLabelHidden: !isBoxed,
              value: item,
              onChange: (next) => set(index, next),
            });
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: values of a form have no identity but their place
              <div key={index} className={isBoxed ? undefined : styles.line}>
                {view}
                {!isBoxed && removal}
              </div>
            );
          })}
          {items.length < control.most && (
            <Chip
              icon={Plus}
              className={styles.add}
              disabled={isDisabled}
              aria-label={t("form.addItem", { label: shared.label })}
              onClick={() => onChange([...items, control.start])}
            >
              {t("form.add")}
            </Chip>
          )}
        </div>
      )}
    </Field>
  );
}

/** A value of one of several types: the type is selected first, then edited. */
export function VariantsControl({
  path,
  control,
  value,
  fallback,
  onChange,
  shared,
}: ControlProps<"variants">) {
  const { isDisabled, renderControl } = useForm();
  const { variants } = control;
  const shown = value ?? fallback ?? undefined;
  const current = shown === undefined ? -1 : variants.findIndex(({ fits }) => fits(shown));
  const names = variants.map(({ label }, index) => ({
    value: String(index),
    label,
    disabled: isDisabled,
  }));
  const options = shared.required
    ? names
    : [{ value: "-1", label: t("form.none"), disabled: isDisabled }, ...names];
  const choose = (key: string) => onChange(variants[Number(key)]?.start);
  const label = t("form.kind", { label: shared.label });
  const chosen = variants[current];
  return (
    <Field {...shared} isGroup>
      {() => (
        <div className={styles.list}>
          {options.length <= 4 ? (
            <Segmented
              label={label}
              value={String(current)}
              onValueChange={choose}
              options={options}
            />
          ) : (
            <Select
              aria-label={label}
              value={String(current)}
              onValueChange={choose}
              options={options}
              disabled={isDisabled}
            />
          )}
          {chosen &&
            renderControl({
              path,
              control: chosen.control,
              label: chosen.label,
              isRequired: true,
              value: shown,
              onChange,
            })}
        </div>
      )}
    </Field>
  );
}
