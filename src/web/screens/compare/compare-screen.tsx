import { useParams } from "@tanstack/react-router";
import { useSession } from "../../data/shell-data.ts";
import { ComparisonList } from "./comparison-list.tsx";
import { ComparisonPage } from "./comparison-page.tsx";

/** The project's comparisons, or one comparison. */
export function CompareScreen() {
  const { project } = useSession();
  const { id } = useParams({ strict: false });
  return id ? (
    <ComparisonPage key={id} comparisonId={id} />
  ) : (
    <ComparisonList key={project.id} projectId={project.id} />
  );
}
