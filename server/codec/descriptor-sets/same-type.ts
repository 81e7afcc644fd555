import protobuf from 'protobufjs';

/** Do both read the same bytes in the same way, as far as they themselves say? */
export function isSameType(a: protobuf.ReflectionObject, b: protobuf.ReflectionObject): boolean {
  if (a instanceof protobuf.Enum && b instanceof protobuf.Enum) {
    const names = Object.entries(a.values);
    return (
      names.length === Object.keys(b.values).length &&
      names.every(([name, number]) => b.values[name] === number)
    );
  }
  if (!(a instanceof protobuf.Type) || !(b instanceof protobuf.Type)) return false;
  return (
    a.fieldsArray.length === b.fieldsArray.length &&
    a.fieldsArray.every((field) => {
      const other = b.fieldsById[field.id];
      return other !== undefined && signatureOf(field) === signatureOf(other);
    })
  );
}

/** Types are reported by their last words: the one says them in full, the other as they stand in the file. */
function signatureOf(field: protobuf.Field): string {
  const key = field instanceof protobuf.MapField ? field.keyType : '';
  return [field.protoName, field.repeated, key, field.type.split('.').at(-1)].join(' ');
}
