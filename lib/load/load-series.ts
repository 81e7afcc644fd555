import type { Locality, Vantage } from '../observation/observation';

export interface LoadScope {
  readonly sourceId: string;
  readonly vantage: Vantage;
  readonly clientId: string;
  readonly clusterName: string;
  readonly clusterServiceName: string;
  /** The index among the client's streams at the same time, from 0. A gauge is of one stream. */
  readonly stream: number;
  /**
   * Whether reports contain a valid interval. The others (the first one of grpc-go covers 292 years) are separate series:
   * they count in totals, but not in rates.
   */
  readonly isTimed: boolean;
  /** As in DeclaredSource. Absent on sources of this process. */
  readonly fileId?: string;
}

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
      /** Empty for the whole locality. */
      readonly address: string;
      readonly name: string;
    };

export type LoadKind = LoadPart['kind'];

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
  locality,
  priority,
}: {
  readonly locality: Locality;
  readonly priority: number;
}): string {
  const { region, zone, subZone } = locality;
  return `${priority}\u0000${region}\u0000${zone}\u0000${subZone}`;
}
