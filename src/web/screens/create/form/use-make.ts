import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { FormErrors } from "../../../components/schema-form/validate-form.ts";
import { loadValidation } from "../../../components/schema-form/validation.ts";
import { fieldProblem } from "../../../data/field-problem.ts";
import { makeRuns } from "../../../data/queries/create.queries.ts";
import { askOf } from "./shared-schema.ts";
import type { CreateForm } from "./use-create-form.ts";

const noErrors: FormErrors = {};

/**
 * Submits the form: validates it locally first, then shows the server's or the provider's errors by
 * field.
 */
export function useMake(projectId: string, form: CreateForm, remixOf: string | undefined) {
  const queryClient = useQueryClient();
  const [errors, setErrors] = useState<FormErrors>(noErrors);
  const [isShown, setShown] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [isMaking, setMaking] = useState(false);

  const make = async (): Promise<boolean> => {
    const ask = askOf(form);
    setErrors(noErrors);
    setFailure(null);
    const request = {
      projectId,
      models: form.askedModels,
      task: form.task,
      ...ask,
      ...(remixOf && { remixOf }),
    };
    setMaking(true);
    try {
      // Without the validator the form is sent unchecked, because the server validates too.
      const validate = await loadValidation();
      const parts = [{ schema: form.schema, values: ask.input }, ...form.own];
      const hasFault = ({ schema, values }: (typeof parts)[number]) =>
        schema && validate && Object.keys(validate(schema, values)).length > 0;
      if (parts.some(hasFault)) {
        setShown(true);
        return false;
      }
      await makeRuns(queryClient, request);
      setShown(false);
      return true;
    } catch (error) {
      const problem = fieldProblem(error);
      if (problem?.field.startsWith("input."))
        setErrors({ [problem.field.slice("input.".length)]: problem.text });
      else setFailure(error);
      return false;
    } finally {
      setMaking(false);
    }
  };
  return { make, isMaking, failure, errors, setErrors, showErrors: isShown };
}
export type Make = ReturnType<typeof useMake>;
