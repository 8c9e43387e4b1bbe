// Puts the files of GraphiQL and React where the server takes them from: vendor/, compressed. `npm ci` runs this; nothing
// of it is committed.

import { readFile, writeFile } from 'node:fs/promises';
import { constants, gzipSync } from 'node:zlib';

const FILES = {
  'react.js': 'react/umd/react.production.min.js',
  'react-dom.js': 'react-dom/umd/react-dom.production.min.js',
  'graphiql.js': 'graphiql/graphiql.min.js',
  'graphiql.css': 'graphiql/graphiql.min.css',
};

const packages = new URL('../../../../node_modules/', import.meta.url);
const vendor = new URL('vendor/', import.meta.url);

for (const [name, path] of Object.entries(FILES)) {
  const text = await readFile(new URL(path, packages), 'utf8');
  // the maps are not served: a browser's tools would ask for them in vain
  const bare = text.replace(/^(\/\/[#@] sourceMappingURL=.*|\/\*# sourceMappingURL=.*\*\/)$/gm, '').trimEnd();
  const packed = gzipSync(`${bare}\n`, { level: constants.Z_BEST_COMPRESSION });
  await writeFile(new URL(`${name}.gz`, vendor), packed);
}
