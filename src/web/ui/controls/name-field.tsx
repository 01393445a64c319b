import { TextField, type TextFieldProps } from "./text-field.tsx";

/** Typed text replaces the previous name, unless the person has started to edit it. */
export function NameField({ previous, ...field }: TextFieldProps & { previous: string }) {
  return (
    <TextField
      {...field}
      onFocus={({ currentTarget }) => {
        if (field.value === previous) currentTarget.select();
      }}
    />
  );
}
