import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { byDescending } from '@/lib/collections/compare';
import { isNamedTag } from '@/lib/views/inspector/is-named-tag';
import { log } from '../logger';
import { sendProblem } from './problem-json';
import { parseRequestPath } from './request-path';

const encodings = ['br', 'gzip'] as const;

const asset = z.object({
  /** The path is relative to the folder of the project. */
  file: z.string(),
  type: z.string(),
  hash: z.string(),
  encodings: z.partialRecord(z.enum(encodings), z.string()),
});

type Asset = z.infer<typeof asset>;
/** The key is the decoded path, as in "/_next/static/chunks/a.js". */
export type AssetManifest = ReadonlyMap<string, Asset>;

/** Reads the output of server/compress-assets.mjs; empty if only the server's programs were built. */
export function readAssetManifest(projectRoot: string): AssetManifest {
  const file = path.join(projectRoot, '.build', 'assets', 'manifest.json');
  if (!existsSync(file)) return new Map();
  return new Map(Object.entries(z.record(z.string(), asset).parse(JSON.parse(readFileSync(file, 'utf8')))));
}

/** Finds the asset that a GET or HEAD requests. */
export function findAsset(
  { method = 'GET', url = '/' }: Pick<IncomingMessage, 'method' | 'url'>,
  assets: AssetManifest,
): Asset | undefined {
  const requested = method === 'GET' || method === 'HEAD' ? parseRequestPath(url) : undefined;
  return requested === undefined ? undefined : assets.get(decodeURIComponent(requested));
}

/**
 * Sends a file in the coding that the request prefers, compressed at build time (server/compress-assets.mjs). Ranges
 * are answered with the whole (RFC 9110 14.2). Never rejects.
 */
export async function serveAsset(
  request: IncomingMessage,
  response: ServerResponse,
  asset: Asset,
  projectRoot: string,
): Promise<void> {
  const available = encodings.filter((coding) => asset.encodings[coding] !== undefined);
  const coding = chooseEncoding(String(request.headers['accept-encoding'] ?? ''), available);
  const tag = `"${asset.hash}${coding === undefined ? '' : `-${coding}`}"`;
  response.setHeader('etag', tag);
  if (available.length > 0) response.setHeader('vary', 'accept-encoding');
  const isNamedByContent = asset.file.includes('/static/');
  const caching = isNamedByContent ? 'public, max-age=31536000, immutable' : 'public, max-age=0';
  response.setHeader('cache-control', caching);
  if (isNamedTag(request.headers['if-none-match'] ?? '', tag)) {
    response.writeHead(304).end();
    return;
  }
  const relative = (coding === undefined ? undefined : asset.encodings[coding]) ?? asset.file;
  try {
    const file = await open(path.join(projectRoot, relative));
    try {
      response.setHeader('content-type', asset.type);
      response.setHeader('content-length', (await file.stat()).size);
      if (coding !== undefined) response.setHeader('content-encoding', coding);
      if (request.method === 'HEAD') response.end();
      else await pipeline(file.createReadStream({ autoClose: false }), response);
    } finally {
      await file.close();
    }
  } catch (error) {
    // The browser closed the connection before the end.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    log('error', 'http', `${request.method} ${request.url}: ${String(error)}`);
    if (response.headersSent) response.destroy();
    else {
      response.removeHeader('etag');
      const detail = `${request.url}: the file of the build could not be read; the log of xdscope has the reason`;
      sendProblem(response, { status: 503, title: 'Page file not available', detail });
    }
  }
}

/**
 * Returns the coding that an Accept-Encoding header prefers (RFC 9110 12.5.3), the first of equals. undefined means no
 * coding, which is also the answer to a header that accepts none of the available ones.
 */
export function chooseEncoding<T extends string>(header: string, available: readonly T[]): T | undefined {
  const weights = new Map(
    header.split(',').map((part) => {
      const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      return [coding === 'x-gzip' ? 'gzip' : coding, Number(weight)];
    }),
  );
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = available.filter((coding) => weightOf(coding) > 0).sort(byDescending(weightOf));
  const asItIs = weights.get('identity') ?? 0;
  return best !== undefined && weightOf(best) >= asItIs ? best : undefined;
}
