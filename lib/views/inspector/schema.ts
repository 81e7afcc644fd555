import * as z from 'zod';
import { configSourceKinds } from '../../model/config-source';
import { referenceHows } from '../../model/references';
import { moment } from '../fields/moment';

export const resourceBody = z.object({
  hash: z.string(),
  typeUrl: z.string(),
  sizeBytes: z.number().int(),
  text: z.string(),
  /** Parts that could not be decoded: an unknown Any type, or invalid protobuf. The text has them as bytes. */
  opaque: z
    .array(
      z.object({
        /** JSON path, '' for the whole resource. */
        path: z.string(),
        typeUrl: z.string(),
        sizeBytes: z.number().int(),
        /** SHA-256 of the value, hex; so for unknown fields. */
        hash: z.string(),
        reason: z.string(),
      }),
    )
    .readonly(),
  /** Fields that the type of their message does not have. The text has them as "xdscope.unknown". */
  unknown: z
    .array(
      z.object({
        /** The path of their message, '' for the body itself. */
        path: z.string(),
        field: z.number().int(),
        wireType: z.enum(['varint', 'fixed64', 'bytes', 'group', 'fixed32']),
        /** The size of the value without tag and length. */
        sizeBytes: z.number().int(),
        hash: z.string(),
      }),
    )
    .readonly(),
  /** Parts of v2 types, which were decoded as `readAs`: the v3 twin, or the v2 type if there is none. */
  v2: z.array(z.object({ path: z.string(), typeUrl: z.string(), readAs: z.string() })).readonly(),
  /** Field paths whose values were redacted before they were stored. */
  redacted: z.array(z.string()).readonly(),
});

const resourceLink = z.object({
  typeUrl: z.string(),
  name: z.string(),
  held: z.boolean(),
  /** The part of the resource, as in "rds", "weighted", "tls". */
  how: z.enum(referenceHows),
  /** The ConfigSource of the reference; null if a name is sufficient. */
  from: z.enum(configSourceKinds).optional(),
});
/** The references of one resource of one client, in both directions. */
export const resourceLinks = z.object({
  uses: z.array(resourceLink),
  usedBy: z.array(resourceLink),
  /** Absent: now. */
  moment: moment.optional(),
});

export type ResourceBody = z.infer<typeof resourceBody>;
export type ResourceLinks = z.infer<typeof resourceLinks>;
