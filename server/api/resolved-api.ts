import type { References, Resolved } from '@/lib/api/resolved';
import type { ClientDetail, ResourceRow } from '@/lib/api/schema';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { LiveState } from '../live/live-state';
import type { Clock } from '../observe';
import type { GraphBuilder, LiveRows } from './graph-builder';
import { parseInput } from './parse-input';
import { referencesQuery } from './references-page';
import { parseResolvedQuery, resolverQuestion } from './resolved-query';

export interface ResolvedApiOptions {
  readonly clock: Clock;
  readonly live: Pick<LiveState, 'revisionOf'>;
  readonly graphs: GraphBuilder;
  readonly findClient: (id: string) => ClientDetail | undefined;
  readonly listResources: (id: string) => ResourceRow[] | undefined;
  readonly liveRows: (id: string, found: readonly ResourceRow[]) => LiveRows;
}

/** What clients make of their resources. */
export class ResolvedApi {
  constructor(private readonly options: ResolvedApiOptions) {}

  /** undefined: no such client. */
  async references(id: string, input: unknown): Promise<References | undefined> {
    const page = parseInput(referencesQuery, input);
    const rows = this.options.listResources(id);
    return rows && this.options.graphs.references(this.options.liveRows(id, rows), page);
  }

  /** undefined: no such client. */
  async find(id: string, input: unknown): Promise<Resolved | undefined> {
    const { clock, live, graphs, findClient, listResources, liveRows } = this.options;
    const query = parseResolvedQuery(input);
    const client = findClient(id);
    const rows = listResources(id);
    if (client === undefined || rows === undefined) return undefined;
    const revision = String(live.revisionOf(id));
    const answer = await graphs.resolve(liveRows(id, rows), resolverQuestion(query, client.node));
    return { clientId: id, at: formatIsoTime(clock.now()), revision, ...answer };
  }
}
