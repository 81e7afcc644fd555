import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { showName } from '../json/show-value';
import { findMessageType } from '../root';
import { isObject, JsonCollector } from './collect-json';
import { MessageCollector } from './collect-message';
import { containerNames, findContainerKind } from './containers';
import { decodeText } from './decode-text';
import { dropRepeated } from './drop-repeated';
import type { DocumentKind, Input, InputFormat, ReadInput } from './input';
import { describeUnparsed, parseJson, parseYaml } from './parse-notation';
import { readTextFormat } from './read-text-format';
import { findContainerOfJson, findTypeOfJson } from './recognise-json';

/**
 * Any document that has resources in it, as typed resources: proto3 JSON (with the habits of Envoy's own files), YAML,
 * protobuf's text format, binary protobuf; one resource, a list of them, a DiscoveryResponse, /config_dump, a CSDS
 * answer, a bootstrap. What cannot be read is a problem with its place; never throws.
 */
export function readInput({ content, format: reported, typeUrl }: Input): ReadInput {
  const text =
    typeof content === 'string' ? content : reported === 'protobuf' ? undefined : decodeText(content);
  if (text === undefined) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    return readProtobuf(bytes, typeUrl);
  }
  if (reported === 'protobuf') return readProtobuf(Buffer.from(text), typeUrl);
  if (reported === 'text') return readTextFormat(text, typeUrl);
  if (text.trim() === '') return nothing('json', 'expected a document, got nothing');
  if (reported === 'json' || (reported === undefined && /^\s*[{[]/.test(text))) {
    const parsed = parseJson(text);
    if (parsed.ok) return readDocuments('json', parsed.documents, typeUrl);
    if (reported === 'json' || parsed.limit !== undefined) {
      return nothing('json', describeUnparsed('JSON', parsed.reason));
    }
  }
  const parsed = parseYaml(text);
  const isYaml = parsed.ok && parsed.documents.some((document) => typeof document === 'object');
  if (isYaml) return readDocuments('yaml', parsed.documents, typeUrl);
  const reason = parsed.ok ? 'one value alone' : parsed.reason;
  if (reported === 'yaml') return nothing('yaml', describeUnparsed('YAML', reason));
  const asText = readTextFormat(text, typeUrl);
  if (asText.resources.length > 0) return asText;
  return nothing('yaml', `expected JSON, YAML, protobuf text or protobuf; as YAML it is ${reason}`);
}

function nothing(format: InputFormat, reason: string): ReadInput {
  return { format, kind: 'other', resources: [], problems: [{ place: '', reason }] };
}

function readDocuments(format: InputFormat, documents: readonly unknown[], typeUrl?: string): ReadInput {
  const collector = new JsonCollector();
  let kind: DocumentKind = 'other';
  for (const [index, document] of documents.entries()) {
    if (document === null) continue;
    kind = readJson(collector, document, documents.length > 1 ? `documents[${index}]` : '', typeUrl, 0);
  }
  const { resources: found, problems } = collector;
  if (found.length === 0 && problems.length === 0 && kind === 'other') {
    problems.push({ place: '', reason: 'expected a document with resources in it, found none' });
  }
  const resources = dropRepeated(found, documents.length > 1 ? 'resources' : kind);
  return { format, kind: documents.length > 1 ? 'resources' : kind, resources, problems };
}

function readJson(
  collector: JsonCollector,
  json: unknown,
  place: string,
  typeUrl: string | undefined,
  depth: number,
): DocumentKind {
  if (Array.isArray(json)) {
    for (const [index, item] of json.entries())
      readJson(collector, item, `${place}[${index}]`, typeUrl, depth + 1);
    return 'resources';
  }
  if (!isObject(json)) {
    collector.problems.push({ place, reason: 'expected an object or a list' });
    return 'other';
  }
  const reported = json['@type'] ?? typeUrl ?? findContainerOfJson(json);
  if (typeof reported === 'string') {
    const type = findMessageType(reported);
    const kind = type === undefined ? undefined : findContainerKind(type);
    if (type !== undefined && kind !== undefined) {
      collector.container(type, json, place);
      return kind;
    }
    collector.any({ '@type': reported, ...json }, place, undefined);
    return 'resource';
  }
  const guessed = findTypeOfJson(json);
  if (guessed !== undefined) {
    collector.resource(guessed.fullName.slice(1), guessed, json, place);
    return 'resource';
  }
  // A file of somebody's own: what says its type in it is a resource.
  if (depth > 20) return 'other';
  for (const [key, value] of Object.entries(json)) {
    if (typeof value !== 'object' || value === null || !holdsType(value, 0)) continue;
    readJson(
      collector,
      value,
      place === '' ? showName(key) : `${place}.${showName(key)}`,
      undefined,
      depth + 1,
    );
  }
  return 'other';
}

function holdsType(json: object, depth: number): boolean {
  if (depth > 20) return false;
  if ('@type' in json) return true;
  return Object.values(json).some(
    (value) => typeof value === 'object' && value !== null && holdsType(value, depth + 1),
  );
}

function readProtobuf(bytes: Uint8Array, typeUrl: string | undefined): ReadInput {
  const format = 'protobuf';
  if (typeUrl !== undefined) {
    const collector = new MessageCollector();
    const type = findMessageType(typeUrl);
    const kind = type === undefined ? undefined : findContainerKind(type);
    if (type !== undefined && kind !== undefined) collector.bytes(type, bytes, '');
    else collector.add(normaliseTypeUrl(typeUrl), bytes, '');
    const { resources, problems } = collector;
    return { format, kind: kind ?? 'resource', resources: dropRepeated(resources, kind), problems };
  }
  for (const name of [...containerNames, 'google.protobuf.Any']) {
    const read = tryContainer(name, bytes);
    if (read !== undefined) return { format, ...read };
  }
  return nothing(
    format,
    `expected to be reported the type of ${bytes.length} bytes of protobuf: they are no container`,
  );
}

/** Protobuf does not say what it is: bytes are of a container when all of them make sense as one. */
function tryContainer(name: string, bytes: Uint8Array): Omit<ReadInput, 'format'> | undefined {
  const type = findMessageType(name);
  if (type === undefined) return undefined;
  const collector = new MessageCollector();
  if (!collector.bytes(type, bytes, '')) return undefined;
  const { resources, problems } = collector;
  if (resources.length === 0 || problems.length > 0) return undefined;
  const kind = findContainerKind(type);
  return { kind: kind ?? 'resource', resources: dropRepeated(resources, kind), problems };
}
