import { fieldProblem } from "../../data/field-problem.ts";
import { describeError } from "../describe-error.ts";
import { useToast } from "./toast.tsx";

/** Shows in a toast what happened and what to do; fits `onError` and `catch`. */
export function useErrorToast(): (error: unknown) => void {
  const toast = useToast();
  return (error) => {
    const { title, advice } = describeError(error);
    // No field is marked where a toast has to say it: its sentence is all.
    const problem = fieldProblem(error);
    toast({ kind: "error", text: problem?.text ?? title, detail: problem ? undefined : advice });
  };
}
