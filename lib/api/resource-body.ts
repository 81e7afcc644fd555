import { z } from 'zod';
import { configSourceKinds } from '../model/config-source';
import { referenceHows } from '../model/references';
import { moment } from './moment';

/** A resource's body as text. */
export const resourceBody = z.object({
  hash: z.string(),
  typeUrl: z.string(),
  sizeBytes: z.number().int(),
  /** The text in the format asked for. */
  text: z.string(),
  /** Parts that could not be decoded: an unknown Any type, invalid protobuf. They are in the text as bytes. */
  opaque: z.array(
    z.object({
      path: z.string(),
      typeUrl: z.string(),
      sizeBytes: z.number().int(),
      hash: z.string(),
      reason: z.string(),
    }),
  ),
  /** Fields that their message's type does not have. They are in the text, as "xdscope.unknown". */
  unknown: z.array(
    z.object({
      /** Of the message that the field is in, '' for the body itself. */
      path: z.string(),
      field: z.number().int(),
      wireType: z.enum(['varint', 'fixed64', 'bytes', 'group', 'fixed32']),
      sizeBytes: z.number().int(),
      hash: z.string(),
    }),
  ),
  /** Parts of v2 types, which were read through their v3 twins. */
  v2: z.array(z.object({ path: z.string(), typeUrl: z.string(), readAs: z.string() })),
  /** Field paths whose values were redacted before they were stored. */
  redacted: z.array(z.string()),
});

const resourceLink = z.object({
  typeUrl: z.string(),
  name: z.string(),
  held: z.boolean(),
  /** In which part of the resource, as in "rds", "weighted", "tls". */
  how: z.enum(referenceHows),
  /** What the reference's ConfigSource says; null where a name alone is enough. */
  from: z.enum(configSourceKinds).nullable(),
});
/** References of one resource of one client, both directions. */
export const resourceLinks = z.object({
  uses: z.array(resourceLink),
  usedBy: z.array(resourceLink),
  /** Not there: now. */
  moment: moment.optional(),
});

export type ResourceBody = z.infer<typeof resourceBody>;
export type ResourceLinks = z.infer<typeof resourceLinks>;
