// generated/types.txt: a line for each type that a reader may ask for, so that it parses and builds what it needs alone.
import protobuf from 'protobufjs';

const previousName = '(udpa.annotations.versioning).previous_message_type';

/**
 * First line: JSON of {previous, extensions}. `previous`: types of the v2 API by full name, with the v3 type that came from
 * them. `extensions`: by full name of a type, the names of what extends it. Then a line `NAME JSON` for each message,
 * enum and service that is in no other, and each extension; JSON as protobufjs writes it, references to types in full.
 * `root`: resolved; MUTATED.
 */
export function writeTypes(root) {
  const previous = {};
  const extensions = {};
  const lines = [];
  for (const object of below(root)) {
    if (object instanceof protobuf.Field) qualifyTypes(object);
    else if (object instanceof protobuf.Type) {
      for (const field of object.fieldsArray) qualifyTypes(field);
      const older = object.options?.[previousName];
      // Some messages came from another of v3.
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

function qualifyTypes(field) {
  if (field.resolvedType) field.type = field.resolvedType.fullName;
  if (field.extend === undefined) return;
  field.extend = field.parent.lookup(field.extend).fullName;
  // The reader knows of those of packages alone.
  if (!isPackage(field.parent))
    throw new Error(`protos: ${field.fullName} extends a type from within another`);
}

/** A namespace that is no type. */
const isPackage = (object) =>
  object instanceof protobuf.Namespace &&
  !(object instanceof protobuf.Type || object instanceof protobuf.Service);

function* below(namespace) {
  for (const nested of namespace.nestedArray ?? []) {
    yield nested;
    yield* below(nested);
  }
}
