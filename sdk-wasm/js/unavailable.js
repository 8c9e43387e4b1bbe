/** Makes the error of a client that can not start: `code` is what its calls are answered with. */
export const unavailable = (message, cause) => Object.assign(new Error(message, { cause }), { code: "NO_WEBASSEMBLY" });
