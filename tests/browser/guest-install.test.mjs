// The guest's page as an app: what Chromium wants before it installs one, and what the app starts with.

import assert from 'node:assert/strict';
import { guestTests } from './guest.mjs';
import { until } from './harness.mjs';

const guestTest = guestTests({ tables: 3 });

for (const [locale, lang, name] of [
  ['ja-JP', 'ja', 'テーブルオーダー'],
  ['en-GB', 'en', 'Order at your table'],
]) {
  guestTest(`the page can be installed, under a name in the reader's language (${locale})`, async ({ network, open }) => {
    const { page } = await open({ locale, serviceWorkers: 'allow' });
    const browser = await page.context().newCDPSession(page);
    const { url, errors, data } = await browser.send('Page.getAppManifest');
    assert.deepEqual([url, errors], [`${network.url}/assets/guest.${lang}.webmanifest`, []]);
    const manifest = JSON.parse(data);
    assert.deepEqual([manifest.name, manifest.lang, manifest.id, manifest.start_url, manifest.scope, manifest.display], [name, lang, '/', '/', '/', 'standalone']);
    const { installabilityErrors } = await browser.send('Page.getInstallabilityErrors');
    // the browser of a test keeps no apps
    assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito'), []);
    const colours = await page.evaluate(() => [
      document.querySelector('meta[name="theme-color"]').content,
      getComputedStyle(document.querySelector('.top')).backgroundColor,
    ]);
    assert.deepEqual([manifest.theme_color, manifest.background_color, ...colours], ['#fbf6ee', '#fbf6ee', '#fbf6ee', 'rgb(251, 246, 238)']);
    const icons = [...manifest.icons, { src: '/assets/icon-180.png', type: 'image/png', sizes: '180x180' }];
    assert.equal(await page.locator('link[rel="apple-touch-icon"]').getAttribute('href'), '/assets/icon-180.png');
    assert.deepEqual(new Set(manifest.icons.map(({ purpose }) => purpose)), new Set(['any', 'maskable']));
    for (const { src, type, sizes } of icons) {
      const response = await fetch(network.url + src);
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, type], src);
      if (sizes === 'any') continue;
      const picture = Buffer.from(await response.arrayBuffer());
      // a PNG says its size behind its signature and the head of its first chunk
      assert.equal(`${picture.readUInt32BE(16)}x${picture.readUInt32BE(20)}`, sizes, src);
    }
  });
}

guestTest('the app starts at the table, and follows the language', async ({ table, network, open }) => {
  const guest = await open({ locale: 'ja-JP' });
  const app = await guest.tab();
  assert.equal(app.page.url(), `${network.url}/`, 'where it starts');
  assert.equal(await app.page.locator('[data-table]').textContent(), `テーブル ${table.table}`);
  await app.page.locator('#language').click();
  const manifest = () => app.page.locator('link[rel="manifest"]').getAttribute('href');
  await until('the manifest is English', async () => (await manifest()) === '/assets/guest.en.webmanifest');
  assert.equal(await app.page.locator('html').getAttribute('lang'), 'en');
});
