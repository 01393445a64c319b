import { createContext, type ReactNode, useContext } from "react";
import type { ControlViewProps } from "./control-props.ts";
import type { FileKind } from "./form-model.ts";
import type { FormErrors } from "./validate-form.ts";

/** A file input, drawn by the caller: upload, paste, the library. */
export type FileSlot = {
  /** The value's path: "image_url", "frames.0". */
  path: string;
  label: string;
  /** The control's id, for its label. */
  id: string;
  describedBy?: string;
  accepts: FileKind;
  /** The selected files, each as "asset:<id>". */
  value: readonly string[];
  /** The maximum number of files; 1 for a single file. */
  most: number;
  isDisabled: boolean;
  onChange: (value: string[]) => void;
};

export type FormSettings = {
  /** By path, only those that may be shown. */
  errors: FormErrors;
  isDisabled: boolean;
  renderFile: (slot: FileSlot) => ReactNode;
  /** Renders a value with its kind of control. Nested controls call it for their own values. */
  renderControl: (props: ControlViewProps) => ReactNode;
  /** Called when the person leaves or changes the value; its errors may be shown from then on. */
  onTouch: (path: string) => void;
};

const FormContext = createContext<FormSettings | null>(null);
export const FormProvider = FormContext.Provider;

export function useForm(): FormSettings {
  const settings = useContext(FormContext);
  if (!settings) throw new Error("A field of a schema form stands outside of it.");
  return settings;
}
