// Compresses, once for each content, what pages load as files: Next's chunks, styles and fonts, and public/. Writes
// .build/assets/HASH.br and .gzip, and the manifest that server/http/asset-manifest.ts reads.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/** Compressing a response of at most one packet has no benefit. */
const leastBytes = 1024;
const types = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};
/** These files are compressed by their own formats. */
const compressed = new Set(['.png', '.woff2']);
const encoders = {
  br: promisify(brotliCompress),
  gzip: (content) => promisify(gzip)(content, { level: 9 }),
};

function listFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory() ? listFiles(file) : [file];
  });
}

async function describeFile(file, { root, out }) {
  const extension = path.extname(file);
  const content = readFileSync(file);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 32);
  const encodings = {};
  if (content.length > leastBytes && !compressed.has(extension)) {
    for (const [coding, encode] of Object.entries(encoders)) {
      const target = path.join(out, `${hash}.${coding}`);
      if (!existsSync(target)) writeFileSync(target, await encode(content));
      if (statSync(target).size < content.length) encodings[coding] = path.relative(root, target);
    }
  }
  return { file: path.relative(root, file), type: types[extension], hash, encodings };
}

/**
 * Writes .build/assets for what has been built so far. Contents that were compressed before are not compressed again,
 * and files of contents that no longer exist are removed.
 */
export async function compressAssets(root, distDir) {
  const out = path.join(root, '.build', 'assets');
  mkdirSync(out, { recursive: true });
  const places = [
    { folder: path.join(root, distDir, 'static'), url: '/_next/static/' },
    { folder: path.join(root, 'public'), url: '/' },
  ];
  const found = places.flatMap(({ folder, url }) =>
    listFiles(folder)
      .filter((file) => path.extname(file) in types)
      .map((file) => [url + path.relative(folder, file).split(path.sep).join('/'), file]),
  );
  const assets = Object.fromEntries(
    await Promise.all(found.map(async ([url, file]) => [url, await describeFile(file, { root, out })])),
  );
  writeFileSync(path.join(out, 'manifest.json'), `${JSON.stringify(assets, null, 1)}\n`);
  const used = new Set(['manifest.json']);
  for (const { encodings } of Object.values(assets)) {
    for (const file of Object.values(encodings)) used.add(path.basename(file));
  }
  for (const name of readdirSync(out)) if (!used.has(name)) rmSync(path.join(out, name));
}
