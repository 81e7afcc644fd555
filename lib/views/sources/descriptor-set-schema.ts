import * as z from 'zod';

/** A FileDescriptorSet that a user added. */
export const descriptorSet = z.object({
  /** 16 hex digits of the SHA-256 of its bytes. */
  id: z.string(),
  name: z.string(),
  origin: z.enum(['flag', 'browser']),
  sizeBytes: z.number().int(),
  files: z.array(z.string()),
  /** The full names of the messages and enums that are decoded by it; nested types are included in their parent. */
  types: z.array(z.string()),
  /** Types that were defined before; the earlier definition applies. */
  skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
  /** The reason why a stored set is not used; absent when it is used. */
  problem: z.string().optional(),
});
export type DescriptorSet = z.infer<typeof descriptorSet>;

export const descriptorSetList = z.object({ items: z.array(descriptorSet) });

export const largestDescriptorSetBytes = 16 * 1024 * 1024;
