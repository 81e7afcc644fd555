'use client';

import { createContext, type RefObject, useContext } from 'react';
import type {
  ClientLoadParams,
  LoadSeriesQueryOptions,
  LoadSplitQueryOptions,
} from '@/app/_hooks/client-load-queries';
import type {
  ChangesQueryOptions,
  FindingsQueryOptions,
  GraphQueryOptions,
  LinksQueryOptions,
  ReferencesQueryOptions,
  ResolvedQueryOptions,
  TearsParams,
  TearsQueryOptions,
} from '@/app/_hooks/client-view-queries';
import type {
  ClusterParams,
  FailoverParams,
  FailoverQueryOptions,
  FailoversQueryOptions,
  LbTreeParams,
  LbTreeQueryOptions,
} from '@/app/_hooks/failover-queries';
import type { FindingsParams, GraphParams, ReferencesParams, ResolvedParams } from '@/app/_hooks/query-keys';
import type { ResourceCountsOptions, ResourcePagesOptions } from '@/app/_hooks/resource-pages-queries';
import type { ClientDetail, View } from '@/lib/api/schema';
import type { ResourceKey } from '@/lib/observation/observation';
import type { ResourceFilter, ResourceQuestion } from '@/lib/view-model/client-resources/resource-question';

/**
 * Where the pages of one client take their facts from: the live server, or a stored snapshot. The pages do not know
 * which one it is.
 */
export interface ClientViewData {
  readonly client: ClientDetail;
  /** Its rows, as far as somebody scrolls, and what is counted beside them. */
  readonly resourcePagesQuery: (question: ResourceQuestion) => ResourcePagesOptions;
  readonly resourceCountsQuery: (filter: ResourceFilter) => ResourceCountsOptions;
  /** What to ask for the picture, and for the references of a resource (null: nothing is selected). */
  readonly graphQuery: (params: GraphParams) => GraphQueryOptions;
  readonly linksQuery: (key: ResourceKey | null) => LinksQueryOptions;
  /** What the client makes of its resources. */
  readonly resolvedQuery: (params: ResolvedParams) => ResolvedQueryOptions;
  /** The policies that it builds for a cluster, and where that cluster's requests go or would go. */
  readonly lbTreeQuery: (params: LbTreeParams) => LbTreeQueryOptions;
  readonly failoverQuery: (params: FailoverParams) => FailoverQueryOptions;
  /** Which priority carried traffic when; null where there is no history. */
  readonly failoversQuery: ((params: ClusterParams) => FailoversQueryOptions) | null;
  /** What it reported of its requests up to the moment in sight; null where none is kept. */
  readonly loadSeriesQuery: ((params: ClientLoadParams) => LoadSeriesQueryOptions) | null;
  readonly loadSplitQuery: ((params: ClientLoadParams) => LoadSplitQueryOptions) | null;
  /** What the client's resources break, all of them or one. */
  readonly findingsQuery: (params: FindingsParams) => FindingsQueryOptions;
  /** What is named and not there, and what is there and not named. */
  readonly referencesQuery: (params: ReferencesParams) => ReferencesQueryOptions;
  /** When what was in use did not fit together; null where there is no history. */
  readonly tearsQuery: ((params: TearsParams) => TearsQueryOptions) | null;
  /** What changed up to the moment in sight, where it is compared with another one; null: it is not. */
  readonly changesQuery: ChangesQueryOptions | null;
  /** The picture of that other moment; null: nothing is compared. */
  readonly graphBeforeQuery: ((params: GraphParams) => GraphQueryOptions) | null;
  /** The page that compares what is in sight; of the past, and of a permalink, with now. */
  readonly comparePath: string;
  /** Where this view lives: its tabs are below it. */
  readonly basePath: string;
  /** The tab that the base path itself shows. */
  readonly storedTab: View['tab'];
  /** The permalink's moment; null for a live view. */
  readonly frozenAt: string | null;
  /** Of a permalink: when it was stored. Nothing of the log that came later is shown. null for a live view. */
  readonly storedAt: string | null;
  /** Query parameters that a permalink stored: the defaults of its page. Empty for a live view. */
  readonly storedQuery: Readonly<Record<string, string>>;
  /** The picture's pan and zoom. A ref: it changes with every frame, and only Share and a new mount read it. */
  readonly transform: RefObject<View['transform']>;
}

export const ClientViewContext = createContext<ClientViewData | null>(null);

export function useClientViewData(): ClientViewData {
  const data = useContext(ClientViewContext);
  if (data === null) throw new Error('expected a ClientViewContext around the pages of one client, got none');
  return data;
}
