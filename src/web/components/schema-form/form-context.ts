import { createContext, type ReactNode, useContext } from "react";
import type { ControlViewProps } from "./control-props.ts";
import type { FileKind } from "./form-model.ts";
import type { FormErrors } from "./validate-form.ts";

/** What the caller draws for a file input: upload, paste, the library. */
export type FileSlot = {
  /** The path of the value: "image_url", "frames.0". */
  path: string;
  label: string;
  /** For the control that the label points at. */
  id: string;
  describedBy?: string;
  accepts: FileKind;
  /** "asset:<id>", as many as are chosen. */
  value: readonly string[];
  /** How many may be chosen; 1 for a single file. */
  most: number;
  isDisabled: boolean;
  onChange: (value: string[]) => void;
};

export type FormSettings = {
  /** By path, of those that may be shown. */
  errors: FormErrors;
  isDisabled: boolean;
  renderFile: (slot: FileSlot) => ReactNode;
  /** Draws a value by how it is asked for: what is nested draws its own with it. */
  renderControl: (props: ControlViewProps) => ReactNode;
  /** The person has left or changed the value: what is wrong with it may be said. */
  onTouch: (path: string) => void;
};

const FormContext = createContext<FormSettings | null>(null);
export const FormProvider = FormContext.Provider;

export function useForm(): FormSettings {
  const settings = useContext(FormContext);
  if (!settings) throw new Error("A field of a schema form stands outside of it.");
  return settings;
}
