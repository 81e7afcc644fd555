import protobuf from 'protobufjs';
import { readAny } from './dump-parser/read-any';
import { decodeText } from './input/decode-text';
import { encodeText } from './input/encode-text';
import { parseJson, parseYaml } from './input/parse-notation';
import { type TextField, TextFieldError, textBlocks, textFields, textOf } from './input/text-fields';
import { isJsonObject, type JsonObject } from './json/json-object';
import { encodeJson, formatProblems, type JsonProblem } from './json/json-to-message';
import { showValue } from './json/show-value';
import { messageType } from './root';

/** `text` is protobuf's text format. Every JSON document is also YAML. */
export type DocumentFormat = 'json' | 'yaml' | 'binary' | 'text';

export interface DocumentInput {
  readonly bytes: Uint8Array;
  readonly format: DocumentFormat;
}

/** A DiscoveryResponse that was not received over gRPC, but as the answer to a REST poll or in a file. */
export interface DiscoveryDocument {
  readonly kind: 'document';
  /** The DiscoveryResponse in binary. An unreadable resource is an empty Any in its place. */
  readonly message: Uint8Array;
  readonly unreadable: readonly UnreadableResource[];
  /** At most 20 members that were left out, with their places: `resources[2] "a": ...`. */
  readonly notes: readonly string[];
}

interface UnreadableResource {
  readonly index: number;
  /** Null if the resource has no name. */
  readonly name: string | null;
  /** States the expected and the actual value. */
  readonly reason: string;
}

export type DocumentResult = DiscoveryDocument | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Reads each resource separately, so that a malformed one does not affect the others. Members that no descriptor
 * declares are left out and noted; in text format their resource is unreadable. Reasons quote no value of the document,
 * which may be a secret.
 */
export function readDiscoveryDocument({ bytes, format }: DocumentInput): DocumentResult {
  const reject = (what: string): DocumentResult => {
    return { kind: 'unreadable', reason: `expected a DiscoveryResponse as ${nameOf[format]}, got ${what}` };
  };
  if (bytes.length === 0) return reject('nothing: it is empty');
  const size = `${bytes.length} bytes`;
  try {
    if (format === 'binary') {
      responseType().decode(bytes);
      return { kind: 'document', message: bytes, unreadable: [], notes: [] };
    }
    const text = decodeText(bytes);
    if (text === undefined) return reject(`${size} that are no UTF-8 text`);
    if (format === 'text') return readTextFormat(bytes);
    const parsed = format === 'json' ? parseJson(text) : parseYaml(text);
    if (!parsed.ok) return reject(`${size}: ${parsed.reason}`);
    const [json = null] = parsed.documents;
    if (parsed.documents.length > 1) return reject(`${parsed.documents.length} documents`);
    return isJsonObject(json) ? readResponse(json) : reject(showValue(json));
  } catch (error) {
    return reject(`${size}: ${error instanceof Error ? error.message.replace(/^\./, '') : String(error)}`);
  }
}

const nameOf: Record<DocumentFormat, string> = {
  json: 'JSON',
  yaml: 'YAML',
  binary: 'binary protobuf',
  text: 'protobuf text',
};

function responseType(): protobuf.Type {
  return messageType('envoy.service.discovery.v3.DiscoveryResponse');
}

const resourcesTag = (2 << 3) | 2;

/** Throws a TextFieldError if the envelope is malformed. */
function readTextFormat(bytes: Uint8Array): DiscoveryDocument {
  const anyType = messageType('google.protobuf.Any');
  const writer = protobuf.Writer.create();
  const unreadable: UnreadableResource[] = [];
  let index = 0;
  for (const field of textFields(bytes, 0, bytes.length)) {
    const blocks = field.name === 'resources' ? blocksOf(bytes, field) : undefined;
    if (blocks === undefined) writer.raw(encodeText(responseType(), bytes, field.from, field.end));
    for (const [from, to] of blocks ?? []) {
      let any: Uint8Array = new Uint8Array();
      try {
        any = encodeText(anyType, bytes, from, to);
      } catch (error) {
        if (!(error instanceof TextFieldError)) throw error;
        const reason = `not the text format of its type: ${error.message}`;
        unreadable.push({ index, name: findNameInText(bytes, from, to), reason });
      }
      writer.uint32(resourcesTag).bytes(any);
      index += 1;
    }
  }
  return { kind: 'document', message: writer.finish(), unreadable, notes: [] };
}

/** Returns undefined if the value has elements that are not messages. */
function blocksOf(bytes: Uint8Array, { kind, valueFrom, valueTo }: TextField) {
  if (kind === 'block') return [[valueFrom, valueTo] as const];
  return kind === 'list' ? textBlocks(bytes, valueFrom, valueTo) : undefined;
}

/** Returns the name in an Any `[type URL] { name: "..." }`, or null if there is none. */
function findNameInText(bytes: Uint8Array, from: number, to: number): string | null {
  try {
    for (const any of textFields(bytes, from, to)) {
      for (const { name, kind, valueFrom, valueTo } of textFields(bytes, any.valueFrom, any.valueTo)) {
        if (kind !== 'scalar' || (name !== 'name' && name !== 'cluster_name')) continue;
        return textOf(bytes, valueFrom + 1, valueTo - 1);
      }
    }
  } catch (error) {
    if (!(error instanceof TextFieldError)) throw error;
  }
  return null;
}

const mostNotes = 20;

/** Throws an Error if the envelope is malformed. */
function readResponse({ resources, ...rest }: JsonObject): DiscoveryDocument {
  const elements: unknown = resources ?? [];
  if (!Array.isArray(elements)) throw new Error(`resources: expected a list, got ${showValue(elements)}`);
  const envelope = encodeJson(responseType(), rest);
  const serious = envelope.problems.filter(({ isUnknownField }) => !isUnknownField);
  if (serious.length > 0) throw new Error(formatProblems(serious));
  const notes = envelope.problems.map(formatLeftOut);
  const unreadable: UnreadableResource[] = [];
  const anys = elements.map((each: unknown, index) => {
    const { any, name, problems } = readElement(each);
    const reasons = problems.filter(({ isUnknownField }) => !isUnknownField);
    if (any?.value === undefined || reasons.length > 0) {
      unreadable.push({ index, name: name === '' ? null : name, reason: formatProblems(reasons) });
      return {};
    }
    const place = name === '' ? `resources[${index}]` : `resources[${index}] "${name}"`;
    for (const problem of problems) notes.push(`${place}: ${formatLeftOut(problem)}`);
    return any;
  });
  const type = responseType();
  const message = type.encode({ ...type.decode(envelope.bytes), resources: anys }).finish();
  return { kind: 'document', message, unreadable, notes: notes.slice(0, mostNotes) };
}

/** A resource in a response must state its type, since clients require it; readAny() would infer it from the fields. */
function readElement(json: unknown): ReturnType<typeof readAny> {
  const read = readAny(json, '', '');
  const isTyped =
    !isJsonObject(json) ||
    [json['@type'], json.typeUrl, json.type_url].some((each) => each && typeof each === 'string');
  if (isTyped) return read;
  const reason = 'expected an object with "@type", got one without';
  return { ...read, any: undefined, problems: [{ place: '', reason, isUnknownField: false }] };
}

function formatLeftOut({ place, reason }: JsonProblem): string {
  return `${place}: ${reason}; left out`;
}
