import { useEffect } from "react";
import { firstPart } from "../../../ui/lazy-part.ts";
import { Part, preload, usePreload } from "../../../ui/part.tsx";
import { asTypedField } from "./shared-schema.ts";
import type { CreateForm } from "./use-create-form.ts";

const load = () => import("./prompt-template.tsx").then(({ PromptTemplate }) => PromptTemplate);
const PromptTemplate = firstPart(load);

/** Every template contains at least one of these. */
const mark = /[{}|]|__/;

/** Whether the prompt may be a template, or is one that is sent as typed. */
const mayBeTemplate = ({ values }: Pick<CreateForm, "values">): boolean =>
  asTypedField in values || (typeof values.prompt === "string" && mark.test(values.prompt));

/** The facts of a template in the prompt. Their code loads early, or with its first character. */
export function TemplateWords({ projectId, form }: { projectId: string; form: CreateForm }) {
  usePreload(load);
  return (
    mayBeTemplate(form) && (
      <Part>
        <PromptTemplate projectId={projectId} form={form} />
      </Part>
    )
  );
}

/** Loads that code in parallel with the form, for a draft that is a template. */
export function usePreloadTemplate(form: Pick<CreateForm, "values">): void {
  const isWanted = mayBeTemplate(form);
  useEffect(() => {
    if (isWanted) preload(load);
  }, [isWanted]);
}
