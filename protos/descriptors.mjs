// Reads and writes descriptor sets, with the parts of descriptor.proto that xdscope needs. The options of other packages
// are bytes here, so that a set can be written again without comments and without other options.
import protobuf from 'protobufjs';

const schema = `
syntax = "proto2";
message FileDescriptorSet { repeated File file = 1; }
message File {
  optional string name = 1;
  optional string package = 2;
  repeated string dependency = 3;
  repeated Message message_type = 4;
  repeated Enum enum_type = 5;
  repeated Service service = 6;
  repeated Field extension = 7;
  optional string syntax = 12;
  optional int32 edition = 14;
}
message Message {
  optional string name = 1;
  repeated Field field = 2;
  repeated Message nested_type = 3;
  repeated Enum enum_type = 4;
  repeated Field extension = 6;
  optional MessageOptions options = 7;
  repeated Oneof oneof_decl = 8;
}
message Field {
  optional string name = 1;
  optional string extendee = 2;
  optional int32 number = 3;
  optional int32 label = 4;
  optional int32 type = 5;
  optional string type_name = 6;
  optional string default_value = 7;
  optional FieldOptions options = 8;
  optional int32 oneof_index = 9;
  optional string json_name = 10;
  optional bool proto3_optional = 17;
}
message Oneof { optional string name = 1; optional OneofOptions options = 2; }
message Enum { optional string name = 1; repeated EnumValue value = 2; optional EnumOptions options = 3; }
message EnumValue { optional string name = 1; optional int32 number = 2; }
message Service { optional string name = 1; repeated Method method = 2; }
message Method {
  optional string name = 1;
  optional string input_type = 2;
  optional string output_type = 3;
  optional bool client_streaming = 5;
  optional bool server_streaming = 6;
}
message EnumOptions { optional bool allow_alias = 2; }
message FieldOptions {
  optional bool packed = 2;
  // validate.rules. Occurrences merge.
  repeated bytes rules = 1071;
  // udpa.annotations.sensitive
  optional bool sensitive = 76569463;
}
message MessageOptions {
  optional bool map_entry = 7;
  // udpa.annotations.versioning
  optional Versioning versioning = 7881811;
}
message Versioning { optional string previous_message_type = 1; }
// validate.required
message OneofOptions { optional bool required = 1071; }
`;
const { root } = protobuf.parse(schema);
const setType = root.lookupType('FileDescriptorSet');
const fileType = root.lookupType('File');

/** The files of a FileDescriptorSet, as plain objects with lists for repeated fields. */
export function readSet(bytes) {
  return toPlain(setType, bytes).file;
}

export function readFile(bytes) {
  return toPlain(fileType, bytes);
}

/** A FileDescriptorSet of the files, with only the properties of `schema`. */
export function writeSet(files) {
  return setType.encode(setType.fromObject({ file: files })).finish();
}

function toPlain(type, bytes) {
  return type.toObject(type.decode(bytes), { arrays: true, longs: Number });
}

/** Each message of the files with its full name, nested ones after the message that contains them. Map entries are no messages. */
export function* messagesOf(files) {
  for (const file of files) yield* below(file.package, file.messageType);
}

function* below(scope, messages) {
  for (const message of messages) {
    if (message.options?.mapEntry) continue;
    const name = scope === undefined ? message.name : `${scope}.${message.name}`;
    yield { name, message };
    yield* below(name, message.nestedType);
  }
}

/** Each enum of the files with its full name. */
export function* enumsOf(files) {
  const named = (scope, enums) => enums.map((each) => ({ name: `${scope}.${each.name}`, declared: each }));
  for (const file of files) yield* named(file.package, file.enumType);
  for (const { name, message } of messagesOf(files)) yield* named(name, message.enumType);
}
