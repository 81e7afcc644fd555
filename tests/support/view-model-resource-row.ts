import type { ResourceRow } from '@/lib/api/schema';
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
    lastUpdated: '2026-11-20T10:00:00.000Z',
    errorState: null,
    hash: 'a'.repeat(64),
    sizeBytes: 120,
    isStatic: false,
    changedAt: '2026-11-20T10:00:00.000Z',
    sourceId: 'csds:127.0.0.1:50051',
    side: 'client',
    controlPlane: null,
    ...overrides,
  };
}
