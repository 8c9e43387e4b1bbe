// The staff page: the kitchen sees every order once, whatever happens to the network, and a tap is a compare-and-set.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { House, device, freePort, launch, until } from './harness.mjs';
import { Network } from './network.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** Runs a test with a shop of its own. Afterwards the ledger must hold and no page may have complained. */
function kitchenTest(name, body) {
  test(name, { timeout: 120_000 }, async () => {
    const house = await House.open();
    const pages = [];
    const open = async (options = {}) => {
      const page = await device(browser, options);
      pages.push(page);
      await page.goto(`${options.url ?? house.url}/staff#k=${options.key ?? house.staffKey}`);
      return page;
    };
    try {
      await house.start();
      await body(house, open);
      for (const page of pages) assert.deepEqual(page.complaints, []);
    } finally {
      await Promise.all(pages.map((page) => page.context().close()));
      await house.close();
    }
  });
}

const live = (page) => page.locator('.kitchen[data-connection="live"]').waitFor();
const cardOf = (page, number) => page.locator('.ticket', { has: page.locator('.number', { hasText: String(number) }) });
const numberOf = (placed) => placed.result.receipt.number;

/** Orders that were raised as new, by number. */
async function raised(page) {
  const said = await page.locator('#said p').allTextContents();
  return said.map((sentence) => /^New order (\d+)/.exec(sentence)?.[1]).filter(Boolean).map(Number);
}

/** Ids of all cards on the board, in the order in which they stand there. */
const shown = (page) => page.locator('.ticket').evaluateAll((cards) => cards.map((card) => card.dataset.ticket));

async function stateInDatabase(house, number) {
  const tickets = await house.tickets();
  return tickets.find((ticket) => ticket.receipt.number === number)?.state;
}

/** AC-131. */
kitchenTest('an order is raised once on every screen, and a replay raises nothing', async (house, open) => {
  const [one, other] = [await open(), await open()];
  await Promise.all([live(one), live(other)]);
  const requestId = crypto.randomUUID();
  const order = { requestId, note: '<img src=x onerror=alert(1)> no onions' };
  const placed = await house.order(order);
  const number = numberOf(placed);
  for (const page of [one, other]) {
    await cardOf(page, number).waitFor();
    assert.equal(await cardOf(page, number).locator('.order-note img').count(), 0, 'a note is text');
  }
  assert.equal((await house.order(order)).idempotentReplay, true);
  const last = numberOf(await house.order({ table: 1 }));
  for (const page of [one, other]) {
    await cardOf(page, last).waitFor();
    assert.deepEqual(await raised(page), [number, last]);
    assert.equal((await shown(page)).length, 2);
  }
  await one.reload();
  await cardOf(one, last).waitFor();
  assert.deepEqual(await raised(one), [], 'what is there when the page opens is nothing new');
});

kitchenTest('one tap moves a ticket one step, a double tap no further, and undo moves it back', async (house, open) => {
  const [page, other] = [await open(), await open()];
  await Promise.all([live(page), live(other)]);
  const number = numberOf(await house.order());
  const card = cardOf(page, number);
  await card.waitFor();
  // the second tap of an old thumb: just after the answer has put another button under it
  await card.evaluate((element) => {
    new MutationObserver(() => {
      if (element.dataset.state === 'COOKING') element.querySelector('.advance').click();
    }).observe(element, { attributes: true, childList: true });
  });
  await card.locator('.advance').dblclick();
  await page.locator('.ticket[data-state="COOKING"]').waitFor();
  await sleep(1_000);
  assert.equal(await stateInDatabase(house, number), 'COOKING');
  await page.locator('.toast-act').click();
  for (const screen of [page, other]) {
    await screen.locator('.ticket[data-state="RECEIVED"]').waitFor();
    assert.deepEqual(await raised(screen), [number], 'a ticket that goes back is no new order');
  }
  assert.equal(await stateInDatabase(house, number), 'RECEIVED');
});

kitchenTest('two cooks who tap at once move a ticket once', async (house, open) => {
  const pages = [await open(), await open()];
  const number = numberOf(await house.order());
  await Promise.all(pages.map((page) => cardOf(page, number).waitFor()));
  await Promise.all(pages.map((page) => cardOf(page, number).locator('.advance').click()));
  for (const page of pages) await page.locator('.ticket[data-state="COOKING"]').waitFor();
  const [ticket] = await house.tickets();
  assert.deepEqual([ticket.state, ticket.version], ['COOKING', 2]);
});

kitchenTest('a finished ticket can be called back', async (house, open) => {
  const page = await open();
  const number = numberOf(await house.order());
  for (const state of ['COOKING', 'READY']) {
    await cardOf(page, number).locator(`.advance[data-to="${state}"]`).click();
    await page.locator(`.ticket[data-state="${state}"]`).waitFor();
    await sleep(750);
  }
  await cardOf(page, number).locator('.advance').click();
  await page.locator('.finished-row').waitFor();
  assert.deepEqual(await shown(page), []);
  assert.equal(await stateInDatabase(house, number), 'SERVED');
  await page.locator('.finished-row button').click();
  await page.locator('.ticket[data-state="READY"]').waitFor();
  assert.equal(await stateInDatabase(house, number), 'READY');
});

kitchenTest('an order that is cancelled stays before the cook until it is seen', async (house, open) => {
  const page = await open();
  await live(page);
  const { orderId, ...placed } = await house.order();
  await cardOf(page, numberOf(placed)).waitFor();
  await house.ask(house.staffKey, 'mutation($id: ID!) { cancelOrder(orderId: $id) { changed } }', { id: orderId });
  const cancelled = page.locator('.ticket[data-state="CANCELLED"]');
  await cancelled.locator('.stop').waitFor();
  await cancelled.locator('.advance').click();
  await cancelled.waitFor({ state: 'detached' });
  await page.locator('.finished-row[data-state="CANCELLED"]').waitFor();
});

/** AC-123: the page, the server and everything between them goes; ten orders come in meanwhile. */
kitchenTest('a kitchen that was cut off says since when, and has everything once when it is back', async (house, open) => {
  const page = await open();
  await live(page);
  const first = numberOf(await house.order());
  await cardOf(page, first).waitFor();
  await house.signal('SIGKILL');
  const bar = page.locator('.bar[data-state="lost"]');
  await bar.waitFor();
  assert.match(await bar.textContent(), /No connection since \d\d:\d\d/);

  // at another address, so that the page can not come back too early
  await house.start(await freePort());
  const placed = [];
  for (let i = 0; i < 10; i += 1) {
    placed.push(numberOf(await house.order({ table: i % 6, lines: [house.line('F-KARAAGE', i + 1)] })));
  }
  await house.signal('SIGKILL');
  assert.equal(await bar.isVisible(), true);
  assert.equal((await shown(page)).length, 1, 'the board stays readable');
  await house.start(house.port);

  await bar.waitFor({ state: 'hidden' });
  await until('all eleven are shown', async () => (await shown(page)).length === 11);
  const ids = await shown(page);
  assert.equal(new Set(ids).size, 11);
  assert.deepEqual(new Set(ids), new Set((await house.tickets()).map((ticket) => ticket.id)));
  assert.deepEqual((await raised(page)).sort(), [first, ...placed].sort(), 'each raised once');
});

/** AC-133. */
kitchenTest('thirty orders through two cuts are thirty tickets in the right state', async (house, open) => {
  const network = await Network.to(house.port);
  try {
    const page = await open({ url: network.url });
    await live(page);
    for (let i = 0; i < 30; i += 1) {
      await house.order({ table: i % 6, lines: [house.line('F-KARAAGE', (i % 9) + 1)] });
      if (i === 9 || i === 19) {
        network.cut();
        await page.locator('.kitchen[data-connection="lost"]').waitFor();
      }
      if (i === 14 || i === 24) {
        network.mend();
        await live(page);
      }
      const newest = (await house.tickets()).at(-1);
      const query = `mutation($id: ID!) { advanceTicket(ticketId: $id, from: RECEIVED, to: COOKING) { changed } }`;
      await house.ask(house.staffKey, query, { id: newest.id });
    }
    const tickets = await house.tickets();
    assert.equal(tickets.length, 30);
    await page.locator('.bar[data-state="lost"]').waitFor({ state: 'hidden' });
    await until('thirty cards are cooking', async () => {
      return (await page.locator('.ticket[data-state="COOKING"]').count()) === 30;
    });
    const ids = await shown(page);
    assert.deepEqual([...ids].sort(), tickets.map((ticket) => ticket.id).sort());
    const news = await raised(page);
    assert.equal(new Set(news).size, news.length, 'nothing is raised twice');
  } finally {
    network.close();
  }
});

kitchenTest('a server that falls silent without a goodbye is noticed', async (house, open) => {
  const page = await open({ width: 360, height: 500 });
  for (const table of [0, 1, 2]) await house.order({ table });
  await until('three cards', async () => (await shown(page)).length === 3);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await house.signal('SIGSTOP');
  const bar = page.locator('.bar[data-state="lost"]');
  await bar.waitFor();
  const { y } = await bar.boundingBox();
  assert.ok(y >= 0 && y < 500, `the bar is in sight, however far the board is scrolled: ${y}`);
  await house.signal('SIGCONT');
  await live(page);
  const number = numberOf(await house.order({ table: 3 }));
  await cardOf(page, number).waitFor();
});

kitchenTest('a tap without an answer is safe to repeat', async (house, open) => {
  const page = await open();
  await live(page);
  const number = numberOf(await house.order());
  await cardOf(page, number).waitFor();
  // the server moves the ticket, the answer is lost
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('advanceTicket')) {
      await route.fetch();
      await route.abort();
    } else {
      await route.continue();
    }
  });
  await cardOf(page, number).locator('.advance').click();
  await page.locator('.toast', { hasText: 'safe to tap again' }).waitFor();
  await page.locator('.ticket[data-state="COOKING"]').waitFor();
  const [ticket] = await house.tickets();
  assert.deepEqual([ticket.state, ticket.version], ['COOKING', 2]);
});

kitchenTest('the key leaves the address, and only a staff key opens the kitchen', async (house, open) => {
  const page = await open();
  await live(page);
  assert.equal(new URL(page.url()).hash, '');
  await page.reload();
  await live(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Staff key').fill('1234');
  await page.keyboard.press('Enter');
  await page.getByText('does not look like a staff key').waitFor();
  await page.getByLabel('Staff key').fill('mo_test_nobody');
  await page.keyboard.press('Enter');
  await page.getByText('This key is not valid').waitFor();
  await page.getByLabel('Staff key').fill(house.integratorKey);
  await page.keyboard.press('Enter');
  await page.getByText('The kitchen needs a staff key').waitFor();
  await page.getByLabel('Staff key').fill(house.staffKey);
  await page.keyboard.press('Enter');
  await live(page);
  const stored = await page.evaluate(() => JSON.stringify(localStorage));
  assert.equal(stored.includes(house.staffKey), false, 'the key ends with the tab');
});

kitchenTest('a station sees its lines, in the language of the reader', async (house, open) => {
  const page = await open();
  const lines = [house.line('F-KARAAGE', 2), house.line('B-DRAFT')];
  const number = numberOf(await house.order({ lines, note: '急がなくて大丈夫です' }));
  const card = cardOf(page, number);
  await card.waitFor();
  assert.equal(await card.locator('.line').count(), 2);
  await page.locator('.chip[data-station="fry"]').click();
  assert.equal(await card.locator('.line').count(), 1);
  assert.equal(await card.locator('.elsewhere').textContent(), '1 more at other stations');
  assert.equal(await card.locator('.order-note').isVisible(), true);
  await page.locator('.chip[data-station="grill"]').click();
  await page.getByText('Nothing for this station').waitFor();
  await page.reload();
  await page.locator('.chip[data-station="grill"][aria-pressed="true"]').waitFor();
  await page.locator('.chip[data-station=""]').click();
  await page.locator('[data-lang="ja"]').click();
  assert.equal(await page.locator('html').getAttribute('lang'), 'ja');
  assert.match(await card.locator('.name').first().textContent(), /若鶏の唐揚げ/);
  assert.equal(await card.locator('.advance').textContent(), '調理開始');
});

kitchenTest('the keyboard is enough, and no width makes the page scroll sideways', async (house, open) => {
  const page = await open({ width: 360, height: 740 });
  const lines = house.menuItems.slice(0, 3).map((item) => house.line(item.sku));
  for (const table of [0, 1, 2]) await house.order({ table, lines });
  await until('three cards', async () => (await shown(page)).length === 3);
  for (const width of [320, 360, 768, 1280]) {
    await page.setViewportSize({ width, height: 740 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${width}: ${overflow} px too wide`);
  }
  const first = page.locator('.ticket').first();
  await first.locator('.advance').focus();
  for (const state of ['COOKING', 'READY']) {
    await page.keyboard.press('Enter');
    await page.locator(`.ticket[data-state="${state}"] .advance:focus`).waitFor();
    await sleep(750);
  }
  await page.keyboard.press('Enter');
  await until('two cards', async () => (await shown(page)).length === 2);
  await page.locator('.ticket[data-state="RECEIVED"] .advance:focus').waitFor();
  await page.keyboard.press('Control+z');
  await until('it is back', async () => (await shown(page)).length === 3);
});

kitchenTest('one tap starts the sound', async (house, open) => {
  const page = await open();
  await live(page);
  await page.evaluate(() => {
    window.started = 0;
    const { start } = AudioScheduledSourceNode.prototype;
    AudioScheduledSourceNode.prototype.start = function (...when) {
      window.started += 1;
      return start.apply(this, when);
    };
  });
  await house.order();
  await page.locator('.ticket').waitFor();
  assert.equal(await page.evaluate(() => window.started), 0);
  await page.locator('.start').click();
  const tried = await page.evaluate(() => window.started);
  assert.ok(tried > 0, 'the tap itself is heard');
  await page.locator('.start').waitFor({ state: 'hidden' });
  await house.order({ table: 1 });
  await until('a chime', () => page.evaluate((before) => window.started > before, tried));
  await page.locator('.sound').click();
  assert.equal(await page.locator('.sound').getAttribute('aria-pressed'), 'false');
});

/** The board is pure: whatever order the news comes in, the newest version of each ticket is shown and each is raised once. */
kitchenTest('the board takes news in any order', async (house, open) => {
  const page = await open();
  await live(page);
  const wrong = await page.evaluate(async () => {
    const { Board } = await import('/assets/staff/board.js');
    const states = ['RECEIVED', 'COOKING', 'RECEIVED', 'READY'];
    const receipt = { tableSessionId: 't', table: 'T', number: 1, lines: [] };
    const ticket = (id, version) => {
      return { id, version, state: states[version - 1], createdAt: `${id}`, updatedAt: `${version}`, receipt };
    };
    for (let round = 0; round < 500; round += 1) {
      const board = new Board();
      const raised = [];
      const take = (tickets, snapshot = false) => {
        raised.push(...board.take({ snapshot, removed: [], tickets }).raised.map(({ id }) => id));
      };
      take([], true);
      const news = [1, 2, 3, 4, 5].flatMap((id) => [1, 1, 2, 3, 4].map((version) => ticket(id, version)));
      news.sort(() => Math.random() - 0.5);
      for (const row of news) take([row]);
      take([1, 2, 3, 4, 5].map((id) => ticket(id, 2)), true);
      const versions = board.all().map(({ version }) => version);
      if (versions.join() !== '4,4,4,4,4') return `versions: ${versions}`;
      take([], true);
      take([1, 2, 3, 4, 5].map((id) => ticket(id, 3)), true);
      if (new Set(raised).size !== raised.length) return `raised twice: ${raised}`;
    }
    return null;
  });
  assert.equal(wrong, null);
});
