import type protobuf from 'protobufjs';

/** A message or enum type that a user reported, as plain data that every thread can take. */
export interface UserType {
  /** Full name, without a leading dot. Types inside it come with it. */
  readonly name: string;
  /** As protobufjs writes it. */
  readonly json: protobuf.IType | protobuf.IEnum;
}

export interface SkippedType {
  readonly name: string;
  readonly reason: string;
}

export type CheckedDescriptorSet =
  | {
      readonly ok: true;
      /** Names of the .proto files in it. */
      readonly files: readonly string[];
      /** What is new. */
      readonly types: readonly UserType[];
      /** What xdscope, or another set, already has. */
      readonly skipped: readonly SkippedType[];
    }
  | { readonly ok: false; readonly reason: string };
