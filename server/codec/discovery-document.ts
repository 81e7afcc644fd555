import type protobuf from 'protobufjs';
import protojson from 'protobufjs/ext/protojson.js';
import textformat from 'protobufjs/ext/textformat.js';
import { parse as parseYaml } from 'yaml';
import { explainDocumentError, findParseErrorPlace } from './document-error';
import { isPlainObject, type PlainObject, readDocumentResource } from './document-resource';
import { messageType } from './root';

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
 * Reads resource by resource, so that one that is not of its type costs only itself. (Text format is read as a whole,
 * and refused as a whole.) Members that the protos do not know are left out and noted.
 */
export function readDiscoveryDocument({ bytes, format }: DocumentInput): DocumentResult {
  const type = messageType('envoy.service.discovery.v3.DiscoveryResponse');
  const refuse = (what: string): DocumentResult => {
    return { kind: 'unreadable', reason: `expected a DiscoveryResponse as ${nameOf[format]}, got ${what}` };
  };
  if (bytes.length === 0) return refuse('nothing: it is empty');
  if (format === 'binary') {
    try {
      type.decode(bytes);
      return { kind: 'document', message: bytes, unreadable: [], notes: [] };
    } catch (error) {
      return refuse(`${bytes.length} bytes that do not decode: ${explainDocumentError(error)}`);
    }
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse(`${bytes.length} bytes that are no UTF-8`);
  }
  if (format === 'text') {
    try {
      const message = type.encode(textformat.fromText(type, text)).finish();
      return { kind: 'document', message, unreadable: [], notes: [] };
    } catch (error) {
      return refuse(`${bytes.length} bytes that are none: ${explainDocumentError(error)}`);
    }
  }
  let json: unknown;
  try {
    json = format === 'json' ? JSON.parse(text) : parseYaml(text);
  } catch (error) {
    return refuse(`${bytes.length} bytes that are none${findParseErrorPlace(error)}`);
  }
  if (!isPlainObject(json)) return refuse(kindOf(json));
  try {
    return readResponse(type, json);
  } catch (error) {
    return refuse(`one that is not of its type: ${explainDocumentError(error)}`);
  }
}

const nameOf: Record<DocumentFormat, string> = {
  json: 'JSON',
  yaml: 'YAML',
  binary: 'binary protobuf',
  text: 'protobuf text',
};

/** Throws where the envelope itself is not of its type. */
function readResponse(type: protobuf.Type, json: PlainObject): DiscoveryDocument {
  const { resources = [], ...rest } = json;
  if (resources !== null && !Array.isArray(resources)) {
    throw new Error(`resources: expected a list, got ${kindOf(resources)}`);
  }
  const { fields, notes: envelopeNotes } = readEnvelope(type, rest);
  const notes = [...envelopeNotes];
  const unreadable: UnreadableResource[] = [];
  const anys = (resources ?? []).map((each: unknown, index: number) => {
    const read = readDocumentResource(each);
    const place = read.name === null ? `resources[${index}]` : `resources[${index}] "${read.name}"`;
    if (read.kind === 'unreadable') {
      unreadable.push({ index, name: read.name, reason: read.reason });
      return {};
    }
    if (read.note !== null && notes.length < maxNotes) notes.push(`${place}: ${read.note}`);
    return read.any;
  });
  const message = type.encode({ ...fields, resources: anys }).finish();
  return { kind: 'document', message, unreadable, notes };
}

function readEnvelope(type: protobuf.Type, json: PlainObject): { fields: object; notes: string[] } {
  try {
    return { fields: protojson.fromJson(type, json), notes: [] };
  } catch (error) {
    const fields = protojson.fromJson(type, json, { ignoreUnknownFields: true });
    return { fields, notes: [`${explainDocumentError(error)}: left out`] };
  }
}

/** More of them tell nobody anything. */
const maxNotes = 20;

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  return `a ${typeof value}`;
}
