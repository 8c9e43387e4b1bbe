// The network between a phone and the server, and what it can do to a placement. It reads HTTP: every answer belongs to
// the request that asked for it, however many of them share a connection.

import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';

/** About one hop only, or made anew by whoever sends the message on. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * @typedef {{ status: number, headers: Record<string, string | string[]>, body: Buffer | string }} Answer
 * @typedef {(exchange: Exchange) => Promise<void> | void} Fault what becomes of a placement
 */

/** A placement on its way through the network. */
export class Exchange {
  #port;
  #request;
  #body;
  #response;

  constructor(port, request, body, response, reused) {
    this.#port = port;
    this.#request = request;
    this.#body = body;
    this.#response = response;
    /** Its connection has carried an answer before: a browser sends again by itself when such a one breaks. */
    this.reused = reused;
    const { input } = JSON.parse(body).variables ?? {};
    /** Everything that is asked for. */
    this.input = input;
    this.requestId = input?.requestId;
    /** As it came, by name in lower case. */
    this.headers = request.headers;
    /** When it came here. Unit: ms since the epoch. */
    this.at = Date.now();
  }

  /**
   * Brings it to the server.
   *
   * @returns {Promise<Answer>} what the server said: by then it is committed
   */
  pass() {
    return forward(this.#port, this.#request, this.#body);
  }

  /**
   * Gives the phone an answer.
   *
   * @param {Answer} answer
   */
  answer({ status, headers, body }) {
    this.#response.writeHead(status, headers).end(body);
  }

  /** Gives the phone the half of an answer: whole headers, and a body that breaks off. */
  async answerHalf({ status, headers, body }) {
    this.#response.writeHead(status, { ...headers, 'content-length': body.length });
    const half = body.subarray(0, body.length / 2);
    await new Promise((sent) => this.#response.write(half, sent));
    this.#response.destroy();
  }

  /** Breaks the phone's connection off. */
  reset() {
    this.#request.socket.resetAndDestroy();
  }
}

/** @returns {Promise<Answer>} */
async function forward(port, { method, url, headers }, body) {
  const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
  // a connection for each: none of them is ever old
  const request = http.request({ host: '127.0.0.1', port, method, path: url, headers: passed, agent: false });
  request.end(body);
  const [response] = await once(request, 'response');
  const kept = Object.entries(response.headers).filter(([name]) => !HOP_BY_HOP.has(name));
  return { status: response.statusCode, headers: Object.fromEntries(kept), body: await read(response) };
}

async function read(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A way to a port. */
export class Network {
  #server;
  #sockets = new Set();
  #reused = new WeakSet();
  #down = false;

  /** Every placement that came by, in the order in which they came. @type {Exchange[]} */
  placements = [];
  /** What becomes of the next placements, one after the other. @type {Fault[]} */
  next = [];
  /** What becomes of all others. @type {Fault} */
  always = through;
  /** Pages that are served here and by nobody else, by path. @type {Record<string, Answer>} */
  pages = {};

  static async to(port) {
    const network = new Network();
    const server = http.createServer(async (request, response) => {
      try {
        await network.#carry(port, request, response);
      } catch {
        // one of the two has hung up
        request.socket.destroy();
      }
    });
    // nobody hangs up but the test: a connection that is closed for being idle would look like a fault
    server.keepAliveTimeout = 0;
    server.on('connection', (socket) => {
      if (network.#down) return socket.resetAndDestroy();
      network.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => network.#sockets.delete(socket));
    });
    server.on('upgrade', (request, near, head) => tunnel(port, request, near, head));
    network.#server = server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    network.port = server.address().port;
    network.url = `http://127.0.0.1:${network.port}`;
    return network;
  }

  async #carry(port, request, response) {
    const reused = this.#reused.has(request.socket);
    this.#reused.add(request.socket);
    const page = this.pages[new URL(request.url, this.url).pathname];
    if (page) return response.writeHead(page.status, page.headers).end(page.body);
    const body = await read(request);
    if (body.includes('mutation PlaceOrder')) {
      const exchange = new Exchange(port, request, body, response, reused);
      this.placements.push(exchange);
      return (this.next.shift() ?? this.always)(exchange);
    }
    const { status, headers, body: said } = await forward(port, request, body);
    response.writeHead(status, headers).end(said);
  }

  /** The keys under which something came by, each once. */
  get requestIds() {
    return [...new Set(this.placements.map((placement) => placement.requestId))];
  }

  /** Everything that is on its way breaks off, and nobody gets through any more. */
  cut() {
    this.#down = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** After `cut`. */
  mend() {
    this.#down = false;
  }

  close() {
    this.cut();
    this.#server.close();
  }
}

/** Carries a WebSocket. */
function tunnel(port, request, near, head) {
  const far = net.connect(port, '127.0.0.1');
  const lines = [`${request.method} ${request.url} HTTP/1.1`];
  for (let i = 0; i < request.rawHeaders.length; i += 2) lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`);
  far.write(`${lines.join('\r\n')}\r\n\r\n`);
  far.write(head);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ]) {
    one.on('error', () => {});
    one.on('close', () => other.destroy());
    one.pipe(other);
  }
}

/** Nothing happens to it. @type {Fault} */
export async function through(exchange) {
  exchange.answer(await exchange.pass());
}

/** Nothing reaches the server. @type {Fault} */
export function resetBefore(exchange) {
  exchange.reset();
}

/** It is committed, and no answer comes back. @type {Fault} */
export async function resetAfter(exchange) {
  await exchange.pass();
  exchange.reset();
}

/** It is committed, and half of the answer comes back. @type {Fault} */
export async function truncate(exchange) {
  await exchange.answerHalf(await exchange.pass());
}

/** A duplicated packet: the server gets it twice, at once. @type {Fault} */
export async function twice(exchange) {
  const [answer] = await Promise.all([exchange.pass(), exchange.pass()]);
  exchange.answer(answer);
}

/** Somebody else answers; nothing reaches the server. @returns {Fault} */
export const instead = (status, body = '<h1>Sorry</h1>', headers = { 'content-type': 'text/html' }) => {
  return (exchange) => exchange.answer({ status, headers, body });
};

/** It is committed, and somebody else answers. @returns {Fault} */
export const insteadAfter = (...answer) => async (exchange) => {
  await exchange.pass();
  instead(...answer)(exchange);
};

/** A promise, and the function that resolves it. */
function gate() {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  return { open, opened };
}

/**
 * It waits on its way to the server. `arrived`: it does so now; `release()`: it may go on; `done`: what the server said then.
 *
 * @returns {Fault & { arrived: Promise<void>, release: () => void, done: Promise<Answer> }}
 */
export function stopped() {
  const [arrived, released, done] = [gate(), gate(), gate()];
  const fault = async (exchange) => {
    arrived.open();
    await released.opened;
    const answer = await exchange.pass();
    done.open(answer);
    exchange.answer(answer);
  };
  return Object.assign(fault, { arrived: arrived.opened, release: released.open, done: done.opened });
}

/**
 * It is committed, and its answer waits. `answered`: it does so now; `release()`: it may go on.
 *
 * @returns {Fault & { answered: Promise<void>, release: () => void }}
 */
export function held() {
  const [answered, released] = [gate(), gate()];
  const fault = async (exchange) => {
    const answer = await exchange.pass();
    answered.open();
    await released.opened;
    exchange.answer(answer);
  };
  return Object.assign(fault, { answered: answered.opened, release: released.open });
}
