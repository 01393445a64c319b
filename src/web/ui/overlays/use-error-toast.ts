import { fieldProblem } from "../../data/field-problem.ts";
import { describeError } from "../describe-error.ts";
import { useToast } from "./toast.tsx";

/** Shows an error and its next step in a toast; usable as `onError` and in `catch`. */
export function useErrorToast(): (error: unknown) => void {
  const toast = useToast();
  return (error) => {
    const { title, advice } = describeError(error);
    // A toast marks no field, so the field's sentence stands alone.
    const problem = fieldProblem(error);
    toast({
      kind: "error",
      text: problem?.text ?? title,
      detail: problem ? undefined : advice || undefined,
    });
  };
}
