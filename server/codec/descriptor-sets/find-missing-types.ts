/** The parts of google.protobuf.FileDescriptorSet that are checked, as protobufjs decodes them. */
export interface NamedSet {
  readonly file: readonly NamedFile[];
}

interface NamedFile {
  readonly name?: string;
  readonly package?: string;
  readonly dependency?: readonly string[];
  readonly messageType?: readonly NamedMessage[];
  readonly enumType?: readonly { readonly name?: string }[];
}

interface NamedMessage {
  readonly name?: string;
  readonly field?: readonly NamedField[];
  readonly nestedType?: readonly NamedMessage[];
  readonly enumType?: readonly { readonly name?: string }[];
}

interface NamedField {
  readonly name?: string;
  /** google.protobuf.FieldDescriptorProto.Type, where 14 is an enum. */
  readonly type?: number;
  /** Compilers write a leading dot. */
  readonly typeName?: string;
}

interface Reference {
  readonly file: NamedFile;
  readonly field: string;
  /** The name has no leading dot. */
  readonly typeName: string;
  readonly isEnum: boolean;
}

/** Describes the types that the set refers to and that are unknown; returns undefined if there are none. */
export function findMissingTypes(set: NamedSet, isKnown: (name: string) => boolean): string | undefined {
  const declared = declaredNames(set);
  const missing = [...references(set)].filter(
    ({ typeName }) => !declared.has(typeName) && !isKnown(typeName),
  );
  const [first] = missing;
  if (first === undefined) return undefined;
  const inSet = new Set(set.file.map(({ name }) => name));
  const imports = new Set(
    missing.flatMap(({ file }) => (file.dependency ?? []).filter((name) => !inSet.has(name))),
  );
  const others = new Set(missing.map(({ typeName }) => typeName)).size - 1;
  const more = others > 0 ? ` (and ${others} more types)` : '';
  const hint =
    imports.size === 0
      ? ''
      : `; not in the set: ${[...imports].slice(0, 10).join(', ')} (protoc --include_imports)`;
  return `${first.file.name ?? '?'}: ${first.field} is of the type "${first.typeName}", which is in no set${more}${hint}`;
}

/** Files with an empty type for each type that the set refers to and does not declare. */
export function stubFile(set: NamedSet): object[] {
  const declared = declaredNames(set);
  const stubs = new Map<string, boolean>();
  for (const { typeName, isEnum } of references(set))
    if (!declared.has(typeName)) stubs.set(typeName, isEnum);
  return [...stubs].map(([typeName, isEnum], index) => {
    const dot = typeName.lastIndexOf('.');
    const name = typeName.slice(dot + 1);
    const file = {
      name: `stub-${index}.proto`,
      package: dot === -1 ? '' : typeName.slice(0, dot),
      syntax: 'proto3',
    };
    return isEnum
      ? { ...file, enumType: [{ name, value: [{ name: 'STUB', number: 0 }] }] }
      : { ...file, messageType: [{ name }] };
  });
}

function declaredNames(set: NamedSet): Set<string> {
  const names = new Set<string>();
  const declare = (message: NamedMessage, scope: string): void => {
    const name = join(scope, message.name);
    names.add(name);
    for (const nested of message.nestedType ?? []) declare(nested, name);
    for (const nested of message.enumType ?? []) names.add(join(name, nested.name));
  };
  for (const { package: scope = '', messageType, enumType } of set.file) {
    for (const message of messageType ?? []) declare(message, scope);
    for (const each of enumType ?? []) names.add(join(scope, each.name));
  }
  return names;
}

function* references(set: NamedSet): Iterable<Reference> {
  for (const file of set.file) {
    for (const message of file.messageType ?? []) yield* referencesIn(message, file.package ?? '', file);
  }
}

function* referencesIn(message: NamedMessage, scope: string, file: NamedFile): Iterable<Reference> {
  const name = join(scope, message.name);
  for (const { name: field, typeName, type } of message.field ?? []) {
    // Compilers write full names. protobufjs resolves a partial name like a compiler.
    if (!typeName?.startsWith('.')) continue;
    yield { file, field: join(name, field), typeName: typeName.slice(1), isEnum: type === 14 };
  }
  for (const nested of message.nestedType ?? []) yield* referencesIn(nested, name, file);
}

function join(scope: string, name = ''): string {
  return scope === '' ? name : `${scope}.${name}`;
}
