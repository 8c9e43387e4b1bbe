// A third party's page with `./offline`, on a phone that can lose its network. The page itself loads without one, as if a worker
// kept it.

import assert from 'node:assert/strict';
import { until } from './harness.mjs';

/** What runs in the page, before and after its own script. */
const script = (options, prepare) => `
  (${prepare})();
  window.heard = [];
  if (location.hash) addEventListener('DOMContentLoaded', () => {
    window.opened = import('/sdk/offline.js').then(({ waitForNetwork }) => {
      const { tableSessionId } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
      const onOutcome = (outcome) => window.heard.push(window.plain(outcome));
      const options = { tableSessionId, lang: 'en', onOutcome, ...${JSON.stringify(options)} };
      window.wait = (client = window.client) => waitForNetwork(client, options);
      window.offline = window.wait();
    });
  });
`;

/**
 * Opens the page on another phone.
 *
 * @param {{ open: Function, network: object }} around of `sdkTests`
 * @param {object} [options] for `waitForNetwork`
 * @param {{ prepare?: Function, client?: object, url?: string }} [more] `prepare` runs in the page before everything else
 */
export async function openWaiting({ open, network }, options = {}, { prepare = () => {}, ...more } = {}) {
  const content = script(options, prepare);
  const phone = await open({ prepare: { content }, ...more });
  const files = new Map();
  await phone.page.context().route(({ pathname }) => pathname !== '/graphql', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (!files.has(pathname)) {
      const response = await fetch(network.url + pathname);
      const contentType = response.headers.get('content-type') ?? undefined;
      files.set(pathname, { status: response.status, contentType, body: Buffer.from(await response.arrayBuffer()) });
    }
    await route.fulfill(files.get(pathname));
  });
  await phone.page.evaluate(() => window.opened);
  return waiting(phone, content);
}

/** What a guest does on that page. */
function waiting(phone, content) {
  const { page } = phone;
  const opened = () => page.evaluate(() => window.opened);
  const setOffline = (yes) => page.context().setOffline(yes);
  return {
    phone,
    page,
    lose: () => setOffline(true),
    find: () => setOffline(false),
    async reload() {
      await phone.reload();
      await opened();
    },
    /** Opens another tab, which shows the same cart. */
    async tab() {
      const tab = await phone.tab({ prepare: { content } });
      await tab.page.evaluate(() => window.opened);
      return waiting(tab, content);
    },
    /** Confirms, and does not wait for what comes of it: that is what `outcome` answers. */
    confirm: (options) => page.evaluate((options) => void (window.outcome = window.offline.submit(options)), options),
    outcome: () => phone.outcome(),
    cancel: () => page.evaluate(async () => window.plain(await window.offline.cancel())),
    /** What waits; `null`: nothing. */
    waits: () => page.evaluate(() => window.offline.state().waiting),
    /** What was told without a call. */
    heard: () => page.evaluate(() => window.heard),
    async hears(count = 1) {
      await until(`${count} outcomes are told`, async () => (await this.heard()).length >= count);
      const heard = await this.heard();
      assert.equal(heard.length, count, JSON.stringify(heard));
      return heard;
    },
    untilWaits: (what = true) => until(what ? 'it waits' : 'nothing waits', async () => Boolean(await page.evaluate(() => window.offline.state().waiting)) === what),
    /** The record, as it is stored. */
    record: async () => JSON.parse(await phone.stored('waiting')),
    /** Makes the stored record another one, as nobody does who is on this page. */
    rewrite: (change) => page.evaluate((change) => {
      const key = Object.keys(localStorage).find((name) => name.endsWith('.waiting'));
      localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), ...change }));
    }, change),
  };
}

/** An outcome in short: its kind, and its code if it has one. */
export const short = ({ kind, code }) => (code ? `${kind} ${code}` : kind);

/** A phone without a network whose cart waits. */
export async function confirmed(around, options, more) {
  const guest = await openWaiting(around, options, more);
  await guest.phone.add();
  await guest.lose();
  await guest.confirm();
  await guest.untilWaits();
  return guest;
}
