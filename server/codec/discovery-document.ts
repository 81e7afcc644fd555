import type protobuf from 'protobufjs';
import textformat from 'protobufjs/ext/textformat.js';
import { explainDocumentError, findParseErrorPlace } from './document-error';
import { formatLeftOut, formatProblems, readDocumentResource } from './document-resource';
import { isJsonObject, type JsonObject } from './json/json-object';
import { encodeJson } from './json/json-to-message';
import { parseExactJson } from './parse-exact-json';
import { parseYamlDocuments } from './parse-yaml-documents';
import { messageType } from './root';
import { splitTextResources } from './split-text-resources';

/** `text` is protobuf's text format. YAML has JSON in it. */
export type DocumentFormat = 'json' | 'yaml' | 'binary' | 'text';

export interface DocumentInput {
  readonly bytes: Uint8Array;
  readonly format: DocumentFormat;
}

/** A DiscoveryResponse that did not come over gRPC: the answer to a REST poll, or a file. */
export interface DiscoveryDocument {
  readonly kind: 'document';
  /** The DiscoveryResponse in binary. What is unreadable in it is an empty Any in its place. */
  readonly message: Uint8Array;
  readonly unreadable: readonly UnreadableResource[];
  /** What was read over, with its place: `resources[2] "a": ...`. */
  readonly notes: readonly string[];
}

export interface UnreadableResource {
  readonly index: number;
  /** null where it does not say. */
  readonly name: string | null;
  /** What was expected and what came. */
  readonly reason: string;
}

export type DocumentResult = DiscoveryDocument | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Reads resource by resource, so that one that is not of its type costs only itself. Members that the protos do not
 * know are left out and noted; in text format they cost their resource.
 */
export function readDiscoveryDocument({ bytes, format }: DocumentInput): DocumentResult {
  const type = messageType('envoy.service.discovery.v3.DiscoveryResponse');
  const reject = (what: string): DocumentResult => {
    return { kind: 'unreadable', reason: `expected a DiscoveryResponse as ${nameOf[format]}, got ${what}` };
  };
  if (bytes.length === 0) return reject('nothing: it is empty');
  if (format === 'binary') {
    try {
      type.decode(bytes);
      return { kind: 'document', message: bytes, unreadable: [], notes: [] };
    } catch (error) {
      return reject(`${bytes.length} bytes that do not decode: ${explainDocumentError(error)}`);
    }
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return reject(`${bytes.length} bytes that are no UTF-8`);
  }
  if (format === 'text') {
    try {
      return readText(type, text);
    } catch (error) {
      return reject(`${bytes.length} bytes that are none: ${explainDocumentError(error)}`);
    }
  }
  let json: unknown;
  try {
    json = format === 'json' ? parseExactJson(text) : parseYamlText(text);
  } catch (error) {
    const limit = error instanceof Error && error.message.startsWith('expected ') ? error.message : undefined;
    if (limit !== undefined) return reject(`${bytes.length} bytes of it: ${limit}`);
    return reject(`${bytes.length} bytes that are none${findParseErrorPlace(error)}`);
  }
  if (!isJsonObject(json)) return reject(kindOf(json));
  try {
    return readResponse(type, json);
  } catch (error) {
    return reject(`one that is not of its type: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Throws what parseYamlDocuments throws. */
function parseYamlText(text: string): unknown {
  const documents = parseYamlDocuments(text);
  if (documents.length > 1) throw new Error(`expected one document of YAML, got ${documents.length}`);
  return documents[0] ?? null;
}

const nameOf: Record<DocumentFormat, string> = {
  json: 'JSON',
  yaml: 'YAML',
  binary: 'binary protobuf',
  text: 'protobuf text',
};

/** Read as a whole where that goes, else resource by resource. Throws where the envelope itself is not of its type. */
function readText(type: protobuf.Type, text: string): DiscoveryDocument {
  try {
    const message = type.encode(textformat.fromText(type, text)).finish();
    return { kind: 'document', message, unreadable: [], notes: [] };
  } catch (error) {
    const split = splitTextResources(text);
    if (split === undefined || split.resources.length === 0) throw error;
    const envelope = textformat.fromText(type, split.rest);
    const unreadable: UnreadableResource[] = [];
    const resources = split.resources.map(({ text: one, linesBefore, name }, index): unknown => {
      try {
        const read = textformat.fromText(type, one);
        const [any]: unknown[] = 'resources' in read && Array.isArray(read.resources) ? read.resources : [];
        return any ?? {};
      } catch (problem) {
        const reason = explainDocumentError(problem).replace(
          /\(line (\d+)\)/,
          (_, line: string) => `(line ${Number(line) + linesBefore})`,
        );
        unreadable.push({ index, name, reason: `not the text format of its type: ${reason}` });
        return {};
      }
    });
    const message = type.encode({ ...envelope, resources }).finish();
    return { kind: 'document', message, unreadable, notes: [] };
  }
}

/** Throws where the envelope itself is not of its type. */
function readResponse(type: protobuf.Type, json: JsonObject): DiscoveryDocument {
  const { resources = [], ...rest } = json;
  if (resources !== null && !Array.isArray(resources)) {
    throw new Error(`resources: expected a list, got ${kindOf(resources)}`);
  }
  const envelope = encodeJson(type, rest);
  const serious = envelope.problems.filter(({ isUnknownField }) => !isUnknownField);
  if (serious.length > 0) throw new Error(formatProblems(serious));
  const notes = envelope.problems.map(formatLeftOut);
  const unreadable: UnreadableResource[] = [];
  const anys = (resources ?? []).map((each: unknown, index: number) => {
    const read = readDocumentResource(each);
    const place = read.name === null ? `resources[${index}]` : `resources[${index}] "${read.name}"`;
    if (read.kind === 'unreadable') {
      unreadable.push({ index, name: read.name, reason: read.reason });
      return {};
    }
    for (const note of read.notes) notes.push(`${place}: ${note}`);
    return read.any;
  });
  const message = type.encode({ ...type.decode(envelope.bytes), resources: anys }).finish();
  return { kind: 'document', message, unreadable, notes: notes.slice(0, maxNotes) };
}

/** More of them tell nobody anything. */
const maxNotes = 20;

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  return `a ${typeof value}`;
}
