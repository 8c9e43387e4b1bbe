// The module of the default entry: inside the file, so that no bundler and no server has to know of it.

import { wasm } from "masterorder-wasm";

export { glue } from "masterorder-wasm";

export const compile = async () => WebAssembly.compile(Uint8Array.from(atob(wasm), (one) => one.charCodeAt(0)));
