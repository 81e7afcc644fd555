import type { QueryOf } from '@/lib/questions/question';
import type { Dangling, Orphan, ReferenceReport } from '@/lib/resolve/reference-report';
import type { ClientQuestions } from '@/lib/views/client-questions';
import type { References } from '@/lib/views/resolved/schema';
import { formatResourceType } from '@/lib/xds/resource-type';

export type ReferencesPage = QueryOf<ClientQuestions['references']> & {
  /** The client is known to be a gRPC client. */
  readonly isGrpc?: boolean;
};

const usersListed = 20;

export function pageOfReferences(
  { dangling, orphans, dynamic }: ReferenceReport,
  { kind, offset, limit }: ReferencesPage,
): References {
  const lists = { dangling, orphan: orphans, dynamic };
  const all: readonly (Orphan & Partial<Dangling>)[] = lists[kind];
  const items = all.slice(offset, offset + limit).map((each) => {
    const { typeUrl, name, reason, usedBy: users = [] } = each;
    const service = formatResourceType(typeUrl);
    const usedBy = users.slice(0, usersListed).map((user) => ({ ...user }));
    return { typeUrl, name, service, reason, usedBy, usedByTotal: users.length };
  });
  return { kind, total: all.length, offset, items };
}
