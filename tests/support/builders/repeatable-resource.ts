import { sha256 } from '@/server/codec/sha256';
import { accepted } from '@/server/collect/xds/client/resource-state';
import type { RepeatableResource } from '@/server/collect/xds/response/cached-resource';

/** A resource in effect with these received bytes. */
export function repeatableOf(typeUrl: string, name: string, bytes: Uint8Array): RepeatableResource {
  const body = { hash: sha256(bytes), sizeBytes: bytes.length };
  const state = { ...accepted({ typeUrl, name }, { versionInfo: '1', ...body }, 0), ...body };
  return { state, digest: body.hash, wireBytes: bytes.length, follows: [], server: 'a', version: '' };
}
