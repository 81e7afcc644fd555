import { z } from 'zod';

/** Types that a user declared to xdscope: a FileDescriptorSet. */
export const descriptorSet = z.object({
  /** 16 hex digits of the SHA-256 of its bytes. */
  id: z.string(),
  name: z.string(),
  origin: z.enum(['flag', 'browser']),
  sizeBytes: z.number().int(),
  /** The .proto files in it. */
  files: z.array(z.string()),
  /** Full names of the messages and enums that decode by it; what is inside them comes with them. */
  types: z.array(z.string()),
  /** What xdscope, or another set, had already: that one stays. */
  skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
  /** Why it is not used, though it was taken once; null when it is. */
  problem: z.string().nullable(),
});
export type DescriptorSet = z.infer<typeof descriptorSet>;

export const descriptorSetList = z.object({ items: z.array(descriptorSet) });

/** Of the bytes of a set that is uploaded. */
export const largestDescriptorSetBytes = 16 * 1024 * 1024;
