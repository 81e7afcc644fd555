import { sourceOf } from '@/server/codec/dump-parser/byte-source';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readReport } from '@/server/codec/dump-parser/read-report';
import { readResources } from '@/server/codec/dump-parser/read-resources';
import { inspectResource } from '@/server/codec/inspect-resource';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { redactObservation } from '@/server/codec/secrets/redact-observation';

const marker = createRedactionMarker(Buffer.alloc(32, 1));

interface Resource {
  readonly typeUrl: string;
  readonly bytes: Uint8Array;
}

/** The work of an import without the storage. Returns the number of rows. */
export function importFile(content: Buffer): number {
  let rows = 0;
  for (const report of planReport(sourceOf(content)).reports) {
    for (const batch of readReport(report, marker)) rows += redactObservation(batch.rows, marker).length;
  }
  return rows;
}

export function findResources(content: Buffer): Resource[] {
  return readResources(planReport(content)).resources.map(({ typeUrl, bytes }) => ({
    typeUrl,
    bytes: Buffer.from(bytes),
  }));
}

/** The work of a probe for received resources. */
export function decode(resources: readonly Resource[]): number {
  let sum = 0;
  for (const { typeUrl, bytes } of resources) {
    sum += inspectResource(typeUrl, bytes, { withReferences: true }, marker).body.bytes.length;
  }
  return sum;
}
