// The module of `./slim`: a file of its own, wherever the page says it is.

import { unavailable } from "./unavailable.js";

export { glue } from "masterorder-wasm";

/** Loads what lies at an address. A single-page app's server answers with its page where nothing lies. */
async function bytes(response) {
  const type = response.headers.get("content-type") ?? "";
  if (response.ok && !type.startsWith("text/")) return response.arrayBuffer();
  throw new Error(`${response.url} answered ${response.status} ${type}`);
}

async function load(source) {
  try {
    const found = await source;
    const response = typeof found === "string" || found instanceof URL ? await fetch(found) : found;
    return response instanceof Response ? await bytes(response) : response;
  } catch (error) {
    const advice = "MasterOrder could not load its WebAssembly. `createClient` of @masterorder/sdk/slim takes its address as `wasm`";
    throw unavailable(`${advice} (${error.message})`, error);
  }
}

// these very words are what webpack, Vite and Parcel look for
export async function compile(source = new URL("./masterorder.wasm", import.meta.url)) {
  const module = await load(source);
  return module instanceof WebAssembly.Module ? module : WebAssembly.compile(module);
}
