// Writes generated/types.txt with a line for each type, so that a reader parses and builds only the types that it
// needs.
import protobuf from 'protobufjs';

const previousName = '(udpa.annotations.versioning).previous_message_type';

/**
 * The first line is JSON of {previous, extensions}: `previous` has the v3 types by full name of the v2 types that they
 * came from, and `extensions` the names of the extensions of a type. A line `NAME JSON` follows for each top-level
 * message, enum and service, and for each extension, with the JSON of protobufjs and fully qualified references. `root`
 * must be resolved, and is MUTATED.
 */
export function writeTypes(root) {
  const previous = {};
  const extensions = {};
  const lines = [];
  for (const object of below(root)) {
    if (object instanceof protobuf.Field) qualifyType(object);
    else if (object instanceof protobuf.Type) {
      for (const field of object.fieldsArray) qualifyType(field);
      const older = object.options?.[previousName];
      // Some messages have a predecessor in v3.
      if (typeof older === 'string' && !/\.v3\./.test(older)) previous[older] = object.fullName.slice(1);
    } else if (object instanceof protobuf.Service) {
      for (const method of object.methodsArray) {
        method.requestType = method.resolvedRequestType.fullName;
        method.responseType = method.resolvedResponseType.fullName;
      }
    }
  }
  for (const object of below(root)) {
    if (isPackage(object) || !isPackage(object.parent)) continue;
    const name = object.fullName.slice(1);
    const extended = object.extend?.slice(1);
    if (extended !== undefined) extensions[extended] = [...(extensions[extended] ?? []), name];
    lines.push(`${name} ${JSON.stringify(object.toJSON({ keepComments: false }))}`);
  }
  return [JSON.stringify({ previous, extensions }), ...lines].join('\n');
}

function qualifyType(field) {
  if (field.resolvedType) field.type = field.resolvedType.fullName;
  if (field.extend === undefined) return;
  field.extend = field.parent.lookup(field.extend).fullName;
  // The reader supports only top-level extensions.
  if (!isPackage(field.parent))
    throw new Error(`protos: ${field.fullName} extends a type from within another`);
}

/** True for a namespace that is neither a type nor a service. */
const isPackage = (object) =>
  object instanceof protobuf.Namespace &&
  !(object instanceof protobuf.Type || object instanceof protobuf.Service);

function* below(namespace) {
  for (const nested of namespace.nestedArray ?? []) {
    yield nested;
    yield* below(nested);
  }
}
