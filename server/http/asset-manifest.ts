import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

export const encodings = ['br', 'gzip'] as const;
export type AssetEncoding = (typeof encodings)[number];

const asset = z.object({
  /** Relative to the folder of the project, as the files below. */
  file: z.string(),
  type: z.string(),
  /** The hash of the content before compression. */
  hash: z.string(),
  encodings: z.partialRecord(z.enum(encodings), z.string()),
});

export type Asset = z.infer<typeof asset>;
/** By decoded path, as in "/_next/static/chunks/a.js". */
export type AssetManifest = ReadonlyMap<string, Asset>;

/** Reads the output of server/compress-assets.mjs; empty if only the server's programs were built. */
export function readAssetManifest(projectRoot: string): AssetManifest {
  const file = path.join(projectRoot, '.build', 'assets', 'manifest.json');
  if (!existsSync(file)) return new Map();
  return new Map(Object.entries(z.record(z.string(), asset).parse(JSON.parse(readFileSync(file, 'utf8')))));
}
