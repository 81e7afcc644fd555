import type { Locality, Vantage } from '../observation/observation';

/** Whose load to which cluster, as one source reports it. */
export interface LoadScope {
  readonly sourceId: string;
  readonly vantage: Vantage;
  readonly clientId: string;
  readonly clusterName: string;
  readonly clusterServiceName: string;
  /** Which of the client's streams that were open at the same time, from 0 on: a gauge is of one stream. */
  readonly stream: number;
  /**
   * Of reports that say which time they cover. The others (the first one of grpc-go covers 292 years) are apart: they
   * count in totals, and no rate can be made of them.
   */
  readonly isTimed: boolean;
}

/** What of it is counted. */
export type LoadPart =
  | { readonly kind: 'cluster' }
  | { readonly kind: 'drop'; readonly category: string }
  | { readonly kind: 'locality'; readonly locality: Locality; readonly priority: number }
  | {
      readonly kind: 'endpoint';
      readonly locality: Locality;
      readonly priority: number;
      readonly address: string;
    }
  | {
      readonly kind: 'metric';
      readonly locality: Locality;
      readonly priority: number;
      /** Empty: of the whole locality. */
      readonly address: string;
      readonly name: string;
    };

export type LoadKind = LoadPart['kind'];

/** One line of numbers over time. */
export interface LoadSeries {
  readonly scope: LoadScope;
  readonly part: LoadPart;
}

/** Different parts of a scope have different keys. */
export function loadPartKey(part: LoadPart): string {
  switch (part.kind) {
    case 'cluster':
      return 'c';
    case 'drop':
      return `d${part.category}`;
    case 'locality':
      return `l${placeKey(part)}`;
    case 'endpoint':
      return `e${placeKey(part)}\u0000${part.address}`;
    case 'metric':
      return `m${placeKey(part)}\u0000${part.address}\u0000${part.name}`;
  }
}

function placeKey({
  locality: { region, zone, subZone },
  priority,
}: {
  locality: Locality;
  priority: number;
}) {
  return `${priority}\u0000${region}\u0000${zone}\u0000${subZone}`;
}
