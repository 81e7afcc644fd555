import type protobuf from 'protobufjs';
import textformat from 'protobufjs/ext/textformat.js';
import { resourceTypes } from '@/lib/xds/resource-type';
import { assertBlockNesting, NestingError } from '../document-nesting';
import { findMessageType, unknownTypeReason } from '../root';
import { MessageCollector } from './collect-message';
import { containerNames, findContainerKind } from './containers';
import { dropRepeated } from './drop-repeated';
import type { ReadInput } from './input';
import { textFields, textOf } from './text-fields';

const protoMessage = /^\s*#\s*proto-message:\s*(\S+)/m;
/** Comments stand at the beginning. */
const seenBytes = 16 * 1024;

/**
 * protobuf's text format. It does not say what it is either, unless by a comment `# proto-message: NAME`; else it is
 * the first of the containers and resource types that takes it. It is read as a whole, or not at all.
 */
export function readTextFormat(text: string, typeUrl: string | undefined): ReadInput {
  try {
    assertBlockNesting(text);
  } catch (error) {
    if (error instanceof NestingError) return reject(error.message);
    throw error;
  }
  const reported = typeUrl ?? protoMessage.exec(text)?.[1];
  if (reported !== undefined) {
    const type = findMessageType(reported);
    if (type === undefined) return reject(unknownTypeReason(reported));
    const read = readAs(type, text);
    return typeof read === 'string' ? reject(`expected the text format of ${type.name}: ${read}`) : read;
  }
  for (const name of [...containerNames, ...resourceTypes.map((each) => each.typeUrl)]) {
    const type = findMessageType(name);
    const read = type === undefined ? '' : readAs(type, text);
    if (typeof read !== 'string' && read.resources.length > 0) return read;
  }
  return reject('expected the text format of a resource or of a message with resources in it');
}

/**
 * The type of a large document in the text format: as its comment reports, or the first that has all of the fields that the
 * document begins with. Throws a TextFieldError where it is none. undefined: nothing has them.
 */
export function findTypeOfText(bytes: Uint8Array): protobuf.Type | undefined {
  const reported = protoMessage.exec(textOf(bytes, 0, Math.min(bytes.length, seenBytes)))?.[1];
  if (reported !== undefined) return findMessageType(reported);
  const names = new Set<string>();
  for (const { name } of textFields(bytes, 0, bytes.length)) {
    names.add(name);
    if (names.size > 1) break;
  }
  for (const name of [...containerNames, ...resourceTypes.map((each) => each.typeUrl)]) {
    const type = findMessageType(name);
    const fields = new Set(type?.fieldsArray.map((field) => field.protoName));
    if ([...names].every((each) => fields.has(each))) return type;
  }
  return undefined;
}

/** Or why it is none, without text from it: that may be a secret. */
function readAs(type: protobuf.Type, text: string): ReadInput | string {
  const collector = new MessageCollector();
  const kind = findContainerKind(type);
  try {
    const bytes = type.encode(textformat.fromText(type, text)).finish();
    if (kind === undefined) collector.add(type.fullName.slice(1), bytes, '');
    else collector.bytes(type, bytes, '');
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const line = /\(line \d+\)$/.exec(message)?.[0] ?? '';
    const field = /unknown field '([\w.]{1,80})'/.exec(message)?.[0] ?? 'it does not read as such';
    return `${field} ${line}`.trim();
  }
  const { resources, problems } = collector;
  return { format: 'text', kind: kind ?? 'resource', resources: dropRepeated(resources, kind), problems };
}

function reject(reason: string): ReadInput {
  return { format: 'text', kind: 'other', resources: [], problems: [{ place: '', reason }] };
}
