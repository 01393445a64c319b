import { join } from "node:path";
import { libraryContract } from "../support/contracts/library-contract.ts";
import { libraries } from "../support/services/libraries.ts";

/** The folder in which `npm run agents` has installed them, each in one named after its package. */
const installed = process.env.AGENTS_FOLDER ?? "";

libraryContract(libraries, ({ packages: [first] }) => join(installed, first!.replaceAll("/", "-")));
