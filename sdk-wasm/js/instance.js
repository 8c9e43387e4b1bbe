// Starts the WebAssembly, or says what keeps it from starting and what to do about it.

import { compile, glue } from "masterorder-module";
import { unavailable } from "./unavailable.js";

const MISSING = "MasterOrder needs WebAssembly, which this browser does not have. Lockdown Mode takes it away; a person can exclude this site from it";

// not only where the error names a policy: each browser has words of its own
const REFUSED =
  "MasterOrder could not start WebAssembly. A page with a Content-Security-Policy has to allow 'wasm-unsafe-eval' in its script-src, " +
  "as in `Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval'`";

let compiled;

/**
 * Answers an instance with a memory of its own. The module is compiled once per page.
 *
 * @param source where the module is: for `./slim` only
 */
export async function instantiate(source) {
  if (typeof WebAssembly !== "object") throw unavailable(MISSING);
  try {
    compiled ??= compile(source);
    return await glue(await compiled);
  } catch (error) {
    compiled = undefined;
    throw error.code === "NO_WEBASSEMBLY" ? error : unavailable(`${REFUSED} (${error.message})`, error);
  }
}
