import { join } from "node:path";
import { libraryContract } from "../../support/contracts/library-contract.ts";
import { libraries } from "../../support/services/libraries.ts";

/** Their versions are those of test/packages. `npm run agents` tries the newest ones. */
libraryContract(
  libraries.filter(({ isInstalled }) => isInstalled),
  () => join(import.meta.dirname, "../../.."),
);
