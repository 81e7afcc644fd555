import type { ResourceRow } from '@/lib/observation/resource-row';
import { CDS, findResourceType } from '@/lib/xds/resource-type';

/** An ACKED cluster as a client reports it; `overrides` say what the test is about. */
export function resourceRow(overrides: Partial<ResourceRow> = {}): ResourceRow {
  const typeUrl = overrides.typeUrl ?? CDS.typeUrl;
  return {
    typeUrl,
    service: findResourceType(typeUrl)?.service ?? '',
    name: 'cart',
    versionInfo: 'v1',
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
    controlPlane: null,
    ...overrides,
  };
}
