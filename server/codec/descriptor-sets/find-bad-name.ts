interface Named {
  readonly name?: string;
  readonly jsonName?: string;
  readonly package?: string;
  readonly messageType?: readonly Named[];
  readonly enumType?: readonly Named[];
  readonly nestedType?: readonly Named[];
  readonly field?: readonly Named[];
  readonly oneofDecl?: readonly Named[];
  readonly value?: readonly Named[];
}

const identifier = /^[A-Za-z_]\w{0,199}$/;
/** The json_name of a field, which its author can choose freely within this pattern. */
const jsonName = /^[\w$@./:-]{1,200}$/;

/**
 * Returns a message for the first name that no compiler accepts, or undefined if all names are valid. Names become
 * properties of objects and parts of paths, so names that no compiler wrote must be rejected.
 */
export function findBadName(files: readonly Named[]): string | undefined {
  for (const file of files) {
    const parts = file.package ? file.package.split('.') : [];
    const bad = parts.find((part) => !isTypeName(part)) ?? findBadIn(file);
    if (bad !== undefined)
      return `${file.name ?? '?'}: expected names as protobuf has them, got ${JSON.stringify(bad.slice(0, 80))}`;
  }
  return undefined;
}

function findBadIn({
  messageType = [],
  enumType = [],
  nestedType = [],
  field = [],
  oneofDecl = [],
  value = [],
}: Named): string | undefined {
  for (const each of [...messageType, ...enumType, ...nestedType]) {
    if (!isTypeName(each.name ?? '')) return each.name ?? '';
    const bad = findBadIn(each);
    if (bad !== undefined) return bad;
  }
  for (const { name = '' } of [...field, ...oneofDecl, ...value]) if (!isPropertyName(name)) return name;
  return field.find((each) => each.jsonName && !isJsonName(each.jsonName))?.jsonName;
}

/** Returns false for names of properties that every object has. */
function isTypeName(name: string): boolean {
  return identifier.test(name) && !(name in {});
}

function isPropertyName(name: string): boolean {
  return identifier.test(name) && name !== '__proto__';
}

function isJsonName(name: string): boolean {
  return jsonName.test(name) && name !== '__proto__' && name !== '$unknowns';
}
