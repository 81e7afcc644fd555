import type protobuf from 'protobufjs';
import { resourceTypes } from '@/lib/xds/resource-type';
import { findMessageType, unknownTypeReason } from '../root';
import { containerNames } from './containers';
import { TextFieldError, textFields, textOf } from './text-fields';

const protoMessage = /^\s*#\s*proto-message:\s*(\S+)/m;
/** The comment is searched for in this many leading bytes. */
const commentBytes = 16 * 1024;
/** Number of distinct field names that a type must have to be tried. */
const comparedNames = 2;

/**
 * Returns the types that a document in protobuf's text format may be of: `typeUrl` or the comment `# proto-message:
 * NAME` if there is one, else each container and resource type that has the fields with which the document begins.
 * Throws a TextFieldError if the bytes are not in the text format, or name a type that no descriptor set declares.
 */
export function findTypesOfText(bytes: Uint8Array, typeUrl?: string): protobuf.Type[] {
  const named = typeUrl ?? protoMessage.exec(textOf(bytes, 0, Math.min(bytes.length, commentBytes)))?.[1];
  if (named !== undefined) {
    const type = findMessageType(named);
    if (type === undefined) throw new TextFieldError(0, unknownTypeReason(named));
    return [type];
  }
  const names = new Set<string>();
  for (const { name } of textFields(bytes, 0, bytes.length)) {
    if (names.add(name).size === comparedNames) break;
  }
  return [...containerNames, ...resourceTypes.map(({ typeUrl: each }) => each)].flatMap((name) => {
    const type = findMessageType(name);
    const fields = new Set(type?.fieldsArray.map((field) => field.protoName));
    return type !== undefined && [...names].every((each) => fields.has(each)) ? [type] : [];
  });
}
