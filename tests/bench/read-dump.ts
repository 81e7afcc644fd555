import { readFileSync } from 'node:fs';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readReport } from '@/server/codec/dump-parser/read-report';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { redactObservation } from '@/server/codec/secrets/redact-observation';
import { answer } from './in-own-process';

export interface ReadDump {
  readonly cpuMs: number;
  readonly resources: number;
}

const bytes = readFileSync(process.argv.at(-1) ?? '');
const marker = createRedactionMarker(Buffer.from('bench'));
const before = process.cpuUsage();
let resources = 0;
for (const report of planReport(bytes).reports) {
  for (const { rows } of readReport(report, marker)) resources += redactObservation(rows, marker).length;
}
const { user, system } = process.cpuUsage(before);
answer({ cpuMs: (user + system) / 1_000, resources } satisfies ReadDump);
