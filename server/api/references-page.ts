import { z } from 'zod';
import { type References, referenceKinds } from '@/lib/api/resolved';
import type { Dangling, Orphan, ReferenceReport } from '@/lib/resolve/reference-report';
import { formatResourceType } from '@/lib/xds/resource-type';

/** The query of GET .../references, as the URL says it. */
export const referencesQuery = z.object({
  kind: z.enum(referenceKinds),
  offset: z.coerce.number().int().min(0).max(10_000_000).default(0),
  limit: z.coerce.number().int().min(0).max(1_000).default(200),
});

export type ReferencesPage = z.infer<typeof referencesQuery>;

const usersListed = 20;

export function pageOfReferences(
  { dangling, orphans }: ReferenceReport,
  { kind, offset, limit }: ReferencesPage,
): References {
  const all: readonly (Orphan & Partial<Dangling>)[] = kind === 'dangling' ? dangling : orphans;
  const items = all.slice(offset, offset + limit).map((each) => {
    const { typeUrl, name, reason, usedBy: users = [] } = each;
    const service = formatResourceType(typeUrl);
    const usedBy = users.slice(0, usersListed).map((user) => ({ ...user }));
    return { typeUrl, name, service, reason, usedBy, usedByTotal: users.length };
  });
  return { kind, total: all.length, offset, items };
}
