import type { MigrationStep } from "../ddl.ts";
import { schemaName } from "../schema-0.2.0/index.ts";
import { up as firstLight } from "./0001-first-light.ts";
import { up as neverOverBudget } from "./0002-never-over-budget.ts";
import { up as importedProjects } from "./0003-imported-projects.ts";
import { up as apiKeys } from "./0004-api-keys.ts";
import { up as sessions } from "./0005-sessions.ts";
import { up as workflows } from "./0006-workflows.ts";
import { up as tools } from "./0007-tools.ts";
import { up as modelStars } from "./0008-model-stars.ts";
import { up as connectionGrants } from "./0009-connection-grants.ts";
import { up as modelAccess } from "./0010-model-access.ts";
import { up as webhooksForRuns } from "./0012-webhooks-for-runs.ts";
import { up as usageByKey } from "./0013-usage-by-key.ts";
import { up as modelFacts } from "./0014-model-facts.ts";
import { up as whenModelsCame } from "./0015-when-models-came.ts";
import { up as askedOfAlias } from "./0016-asked-of-alias.ts";
import { up as placelessRuns } from "./0017-placeless-runs.ts";
import { up as fileOwner } from "./0020-file-owner.ts";
import { up as runsWithoutPrice } from "./0022-runs-without-price.ts";
import { up as twoPlaces } from "./0024-two-places.ts";
import { up as invitedMembers } from "./0027-invited-members.ts";
import { up as circuits } from "./0028-circuits.ts";
import { up as sparedAttempts } from "./0029-spared-attempts.ts";
import { up as unconfirmed } from "./0040-unconfirmed.ts";
import { up as storageLimits } from "./0041-storage-limits.ts";
import { up as conversationKeys } from "./0042-conversation-keys.ts";
import { up as intoSchema } from "./into-schema.ts";

/**
 * The migrations of 0.1 and of builds before 0.2.0, for their databases and backups. They will be
 * removed in 1.0.
 */
export const chain: Record<string, MigrationStep> = {
  "0001-first-light": firstLight,
  "0002-never-over-budget": neverOverBudget,
  "0003-imported-projects": importedProjects,
  "0004-api-keys": apiKeys,
  "0005-sessions": sessions,
  "0006-workflows": workflows,
  "0007-tools": tools,
  "0008-model-stars": modelStars,
  "0009-connection-grants": connectionGrants,
  "0010-model-access": modelAccess,
  "0012-webhooks-for-runs": webhooksForRuns,
  "0013-usage-by-key": usageByKey,
  "0014-model-facts": modelFacts,
  "0015-when-models-came": whenModelsCame,
  "0016-asked-of-alias": askedOfAlias,
  "0017-placeless-runs": placelessRuns,
  "0020-file-owner": fileOwner,
  "0022-runs-without-price": runsWithoutPrice,
  "0024-two-places": twoPlaces,
  "0027-invited-members": invitedMembers,
  "0028-circuits": circuits,
  "0029-spared-attempts": sparedAttempts,
  "0040-unconfirmed": unconfirmed,
  "0041-storage-limits": storageLimits,
  "0042-conversation-keys": conversationKeys,
  [schemaName]: intoSchema,
};
