import { z } from "zod";
import { limits } from "../limits.ts";

/** Text that is searched for in a list. */
export const searchedText = z.string().max(limits.searchCharacters);
