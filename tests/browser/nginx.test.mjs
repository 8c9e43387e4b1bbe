// The kitchen behind nginx, with TLS, its default buffering and the configuration that docs/operations.md recommends.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { House, device, freePort, launch, until } from './harness.mjs';

/** Distributions put servers where a user's PATH does not look. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };

/** The blocks of the section, with the test's own ports and certificate. */
async function documented(replacements) {
  const text = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith('Behind nginx'));
  let blocks = [...section.matchAll(/^```nginx\n(.*?)^```/gms)].map(([, block]) => block).join('\n');
  for (const [written, ours] of replacements) {
    assert.ok(blocks.includes(written), `the section has no ${written}`);
    blocks = blocks.replaceAll(written, ours);
  }
  return blocks;
}

/** Starts nginx in front of a port. */
async function startNginx(folder, port) {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const name = ['-subj', '/CN=shop.example', '-days', '1'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...name, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const tlsPort = await freePort();
  const blocks = await documented([
    ['listen 443 ssl', `listen 127.0.0.1:${tlsPort} ssl`],
    ['/etc/ssl/certs/shop.example.pem', certificate],
    ['/etc/ssl/private/shop.example.key', key],
    ['http://127.0.0.1:8080', `http://127.0.0.1:${port}`],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${join(folder, kind)};`);
  // one process in the foreground, of the user who runs the test
  const configuration = `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr; events {}
    http { access_log off; ${temporary.join(' ')}\n${blocks} }`;
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration);
  const nginx = spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  nginx.stderr.on('data', (chunk) => (said += chunk));
  let ended = null;
  nginx.on('error', (error) => (ended = error.message));
  nginx.on('close', (code) => (ended ??= `ended with ${code}: ${said}`));
  await until('nginx listens', async () => {
    assert.equal(ended, null);
    // it redirects nobody who speaks plain HTTP to its TLS port, but it answers
    return fetch(`http://127.0.0.1:${tlsPort}/`).then(
      () => true,
      () => false,
    );
  });
  return { nginx, url: `https://127.0.0.1:${tlsPort}` };
}

/** AC-135. */
test('ten orders, one after the other, come through nginx within two seconds each', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'masterorder-nginx-'));
  const house = await House.open();
  const browser = await launch();
  let nginx;
  try {
    await house.start();
    const started = await startNginx(folder, house.port);
    nginx = started.nginx;
    const page = await device(browser, { ignoreHTTPSErrors: true });
    const sockets = [];
    page.on('websocket', (socket) => sockets.push(socket.url()));
    await page.goto(`${started.url}/staff#k=${house.staffKey}`);
    await page.locator('.kitchen[data-connection="live"]').waitFor();
    await page.evaluate(() => {
      window.shownAt = {};
      new MutationObserver(() => {
        for (const card of document.querySelectorAll('.ticket')) window.shownAt[card.dataset.ticket] ??= Date.now();
      }).observe(document.body, { childList: true, subtree: true });
    });

    const placedAt = new Map();
    for (let i = 0; i < 10; i += 1) {
      const { orderId } = await house.order({ table: i % 6, lines: [house.line('F-KARAAGE', i + 1)] });
      placedAt.set(orderId, Date.now());
      await sleep(500);
    }
    await until('all ten are shown', async () => (await page.locator('.ticket').count()) === 10);
    const shownAt = await page.evaluate(() => window.shownAt);
    const delays = (await house.tickets()).map(({ id, orderId }) => shownAt[id] - placedAt.get(orderId));
    assert.equal(delays.length, 10);
    assert.ok(delays.every((ms) => ms <= 2_000), `${delays} ms`);
    assert.deepEqual(sockets, [`${started.url.replace('https', 'wss')}/graphql/ws`], 'one socket, and it never broke');
    assert.deepEqual(page.complaints, []);
  } finally {
    await browser.close();
    if (nginx?.exitCode === null) {
      nginx.kill('SIGTERM');
      await once(nginx, 'close');
    }
    await house.close();
    await rm(folder, { recursive: true });
  }
});
