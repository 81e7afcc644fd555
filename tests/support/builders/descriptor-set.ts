import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor.js';

/** google.protobuf.FieldDescriptorProto.Type. */
export const fieldType = { uint32: 13, string: 9, bool: 8, message: 11, enum: 14, group: 10 } as const;

export interface FieldInput {
  readonly name: string;
  readonly number: number;
  readonly type: number;
  readonly typeName?: string;
  /** 1 optional, 2 required, 3 repeated. */
  readonly label?: number;
  readonly isSensitive?: boolean;
}

/** A field like that of a compiler's output. */
export function fieldOf({ isSensitive, label = 1, name, ...field }: FieldInput): object {
  const jsonName = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (isSensitive !== true) return { ...field, name, jsonName, label };
  // udpa.annotations.sensitive = true: an extension, which compilers write like any other field of the options.
  const raw = protobuf.Writer.create()
    .uint32(76569463 * 8)
    .bool(true)
    .finish();
  return { ...field, name, jsonName, label, options: { $unknowns: [raw] } };
}

/** Encodes a FileDescriptorSet of files with the fields of google.protobuf.FileDescriptorProto. */
export function descriptorSet(...files: readonly object[]): Buffer {
  return Buffer.from(descriptor.FileDescriptorSet.encode({ file: [...files] } as never).finish());
}

/** acme/filter.proto: a filter with a nested message, an enum, a secret, and a type of Envoy's. */
export const acmeFilterSet = descriptorSet({
  name: 'acme/filter.proto',
  package: 'acme.v1',
  syntax: 'proto3',
  dependency: ['envoy/config/core/v3/address.proto'],
  enumType: [
    {
      name: 'Mode',
      value: [
        { name: 'OFF', number: 0 },
        { name: 'ON', number: 1 },
      ],
    },
  ],
  messageType: [
    {
      name: 'Filter',
      field: [
        fieldOf({ name: 'filter_name', number: 1, type: fieldType.string }),
        fieldOf({ name: 'mode', number: 2, type: fieldType.enum, typeName: '.acme.v1.Mode' }),
        fieldOf({
          name: 'rules',
          number: 3,
          type: fieldType.message,
          typeName: '.acme.v1.Filter.Rule',
          label: 3,
        }),
        fieldOf({
          name: 'upstream',
          number: 4,
          type: fieldType.message,
          typeName: '.envoy.config.core.v3.Address',
        }),
        fieldOf({ name: 'pin', number: 5, type: fieldType.string, isSensitive: true }),
      ],
      nestedType: [{ name: 'Rule', field: [fieldOf({ name: 'limit', number: 1, type: fieldType.uint32 })] }],
    },
  ],
});
