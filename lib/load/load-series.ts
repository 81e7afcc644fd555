import type * as z from 'zod';
import type { Locality } from '../observation/locality';
import type { ReadonlyDeep } from '../observation/readonly-deep';
import type { numberedSeries } from './load-schemas';

type StoredSeries = ReadonlyDeep<z.infer<typeof numberedSeries>>[number]['series'];
type StoredScope = StoredSeries['scope'];

export type LoadPart = StoredSeries['part'];
export type LoadKind = LoadPart['kind'];

export interface LoadScope extends StoredScope {
  /** As in DeclaredSource. Absent on sources of this process. */
  readonly fileId?: string;
}

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
