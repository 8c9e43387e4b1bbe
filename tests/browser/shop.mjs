// A shop on a throw-away database, and a network in front of it that can be told to misbehave.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

async function freePort() {
  const listener = net.createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address();
  listener.close();
  await once(listener, "close");
  return port;
}

/** Starts the server on a new SQLite file, with `tables` open tables. */
export async function openShop(tables) {
  const binary = process.env.MASTERORDER_BIN;
  if (!binary) throw new Error("MASTERORDER_BIN must name the server's binary");
  const folder = await mkdtemp(path.join(tmpdir(), "mo-browser-"));
  const database = `sqlite://${path.join(folder, "masterorder.db")}`;
  const seeded = await promisify(execFile)(binary, ["seed-demo", "--json", "--tables", String(tables), "--database-url", database]);
  const seed = JSON.parse(seeded.stdout);
  const port = await freePort();
  const server = spawn(binary, ["serve", "--listen", `127.0.0.1:${port}`, "--database-url", database], {
    stdio: ["ignore", "ignore", process.env.MASTERORDER_LOG ? "inherit" : "ignore"],
  });
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + 30_000;
  for (;;) {
    const alive = await fetch(`${url}/readyz`).then((answer) => answer.ok, () => false);
    if (alive) break;
    if (Date.now() > deadline || server.exitCode !== null) throw new Error("the server did not start");
    await sleep(50);
  }
  let nextTable = 0;
  return {
    port,
    item: seed.menuItems[0],
    /** A table that no other test uses. */
    table: () => seed.tableSessions[nextTable++],
    /** Tickets of a table, as the kitchen counts them. */
    async tickets(table) {
      const answer = await fetch(`${url}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${seed.staffKey}` },
        body: JSON.stringify({ query: "{ kitchenTickets { receipt { tableSessionId } } }" }),
      });
      const { data } = await answer.json();
      return data.kitchenTickets.filter((ticket) => ticket.receipt.tableSessionId === table.id).length;
    },
    async close() {
      server.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A TCP proxy. What it does to answers of `placeOrder` is up to the test. */
export async function openNetwork(port) {
  const network = {
    /** Requests that place, as they arrived here. */
    placing: 0,
    /** Answers to cut off: they were made, and nobody gets them. */
    drop: 0,
    /** Holds answers back. */
    hold: false,
    /** How many are held. */
    held: 0,
  };
  const sockets = new Set();
  const listener = net.createServer((client) => {
    const server = net.connect(port, "127.0.0.1");
    sockets.add(client).add(server);
    let places = false;
    client.on("data", (bytes) => {
      if (bytes.includes("mutation PlaceOrder")) {
        places = true;
        network.placing += 1;
      }
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (places && network.drop > 0) {
        network.drop -= 1;
        client.destroy();
        server.destroy();
      } else if (places && network.hold) {
        network.held += 1;
      } else {
        places = false;
        client.write(bytes);
      }
    });
    const end = () => {
      client.destroy();
      server.destroy();
      sockets.delete(client);
      sockets.delete(server);
    };
    for (const socket of [client, server]) socket.on("error", end).on("close", end);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  network.url = `http://127.0.0.1:${listener.address().port}`;
  network.close = () => {
    for (const socket of sockets) socket.destroy();
    listener.close();
  };
  return network;
}

/** Waits until something is so. */
export async function until(what, is) {
  const deadline = Date.now() + 20_000;
  while (!(await is())) {
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await sleep(25);
  }
}
