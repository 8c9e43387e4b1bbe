// The npm package as somebody gets it: packed, and unpacked where a project looks for it.

import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Packs what `cargo xtask sdk` has built, into a folder. Answers the tarball. */
export function pack(folder) {
  const name = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, join(ROOT, 'sdk-wasm/pkg')], { encoding: 'utf8' });
  return join(folder, name.trim());
}

/** Puts the packed package into a project's folder. Answers where it is. */
export async function install(project) {
  const to = join(project, 'node_modules/@masterorder/sdk');
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  const packed = await mkdtemp(join(tmpdir(), 'masterorder-packed-'));
  execFileSync('tar', ['-xzf', pack(packed), '--strip-components=1', '-C', to]);
  await rm(packed, { recursive: true });
  return to;
}

/** Makes an empty project with the package in it, gone after the test. */
export async function project(t) {
  const folder = await mkdtemp(join(tmpdir(), 'masterorder-project-'));
  t.after(() => rm(folder, { recursive: true }));
  await install(folder);
  return folder;
}
