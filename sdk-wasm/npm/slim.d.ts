import type { Client, ClientOptions } from "./masterorder.js";

export * from "./masterorder.js";

/** Opens a client for one table session. Does nothing on a server. */
export function createClient(options: SlimOptions): Client;

export interface SlimOptions extends ClientOptions {
  /** `masterorder.wasm`, or where it is. Default: beside this file, as plain browsers, webpack and a build by Vite find it. */
  wasm?: WasmSource | PromiseLike<WasmSource>;
}

export type WasmSource = string | URL | Response | BufferSource | WebAssembly.Module;
