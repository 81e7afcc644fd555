import type { ResourceRow } from '@/lib/observation/resource-row';
import { CDS, findResourceType } from '@/lib/xds/resource-type';

/** The row of an ACKED cluster with `overrides`. */
export function resourceRow(overrides: Partial<ResourceRow> = {}): ResourceRow {
  const typeUrl = overrides.typeUrl ?? CDS.typeUrl;
  return {
    typeUrl,
    service: findResourceType(typeUrl)?.service ?? '',
    name: 'cart',
    versionInfo: 'v1',
    state: overrides.clientStatus ?? 'ACKED',
    clientStatus: 'ACKED',
    configStatus: 'UNKNOWN',
    lastUpdated: Date.parse('2026-11-20T10:00:00Z'),
    errorState: null,
    hash: 'a'.repeat(64),
    sizeBytes: 120,
    isStatic: false,
    changedAt: Date.parse('2026-11-20T10:00:00Z'),
    sourceId: 'csds:127.0.0.1:50051',
    side: 'client',
    answer: null,
    effect: null,
    controlPlane: null,
    ...overrides,
  };
}
