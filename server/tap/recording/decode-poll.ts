import { gunzipSync, inflateSync } from 'node:zlib';
import type { ApiVersion } from '@/lib/xds/rest-path';
import { readDiscoveryDocument } from '../../codec/discovery-document';
import { parseJson } from '../../codec/input/parse-notation';
import { isJsonObject } from '../../codec/json/json-object';
import { encodeJson, formatProblems } from '../../codec/json/json-to-message';
import { messageType } from '../../codec/root';
import { type EnvelopeResult, toEnvelope } from '../../xds/response/decode-response';
import { type DecodedRequest, decodeRequest } from './decode-request';

/** Larger than a copied body, which may be compressed. */
const maxPlainBytes = 256 * 1024 * 1024;

/** Decodes a DiscoveryRequest in JSON, in camelCase or snake_case. */
export function decodePoll(body: Buffer, typeUrl: string): DecodedRequest {
  const unreadable = (reason: string): DecodedRequest => {
    const what = `expected a DiscoveryRequest in JSON, got ${body.length} bytes`;
    return { kind: 'unreadable', reason: `${what}: ${reason}` };
  };
  const parsed = parseJson(body.toString('utf8'));
  if (!parsed.ok) return unreadable(parsed.reason);
  const [json = null] = parsed.documents;
  if (!isJsonObject(json)) return unreadable('it is no object');
  const { node } = json;
  // Envoy lists more than 1,000 extensions in each poll.
  const { extensions: _, ...identity } = isJsonObject(node) ? node : {};
  const type = messageType('envoy.service.discovery.v3.DiscoveryRequest');
  const { bytes, problems } = encodeJson(type, { ...json, node: identity });
  const serious = problems.filter(({ isUnknownField }) => !isUnknownField);
  if (serious.length > 0) return unreadable(formatProblems(serious));
  return decodeRequest(bytes, { isDelta: false, typeUrl, withNode: true });
}

export interface PollAnswer {
  readonly body: Buffer;
  /** Content-Encoding. */
  readonly encoding: string;
  readonly typeUrl: string;
  readonly apiVersion: ApiVersion;
}

/** Decodes a DiscoveryResponse in JSON. */
export function decodePollAnswer({ body, encoding, typeUrl, apiVersion }: PollAnswer): EnvelopeResult {
  const plain = inflate(body, encoding);
  if (typeof plain === 'string') return { kind: 'unreadable', reason: plain };
  const document = readDiscoveryDocument({ bytes: plain, format: 'json' });
  if (document.kind === 'unreadable') return document;
  return toEnvelope(document, { isDelta: false, typeUrl, apiVersion }, plain.length);
}

/** Returns the reason if the body cannot be read. */
function inflate(body: Buffer, encoding: string): Buffer | string {
  if (encoding === '' || encoding === 'identity') return body;
  if (encoding !== 'gzip' && encoding !== 'deflate') {
    return `expected the Content-Encoding gzip or deflate, got ${JSON.stringify(encoding.slice(0, 40))}`;
  }
  try {
    const limits = { maxOutputLength: maxPlainBytes };
    return encoding === 'gzip' ? gunzipSync(body, limits) : inflateSync(body, limits);
  } catch (error) {
    return `expected a body in ${encoding}: ${error instanceof Error ? error.message : ''}`;
  }
}
