import { type NacksQuery, nacksQuery } from '@/lib/api/nacks';
import { NackIndex } from '@/lib/nacks/nack-index';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import { EDS } from '@/lib/xds/resource-type';
import { NacksApi } from '@/server/answers/nacks/nacks-api';
import { createCodec } from '@/server/codec/codec';
import { encodeBody } from '@/server/codec/encode-body';
import { sha256 } from '@/server/codec/sha256';
import { systemClock } from '@/server/observe';
import { openRecorder } from '@/server/recorder/open-recorder';
import { noSettings } from '@/server/subjects/known-settings';
import { sampleNode, sampleResource } from '../support/observation-samples';
import { type Measured, measure, print, tempDir } from './measure';

/** `GET nacks` of many groups, whose rejected fields are read from the payloads. */
const groups = 1_000;

function printMeasured<T>(what: string, { wallMs, cpuMs, blockMs }: Measured<T>): void {
  const figures = `${wallMs.toFixed(0).padStart(6)} ms, ${cpuMs.toFixed(0)} ms of processor, event loop held at most ${blockMs.toFixed(0)} ms`;
  print(`  ${what.padEnd(44)} ${figures}`);
}

async function run(endpoints: number): Promise<void> {
  const codec = createCodec({ redactionKey: new Uint8Array(32) });
  const retention = { maxAgeMs: 1e15, maxBytes: 1e15 };
  const recorder = await openRecorder({ dataDir: tempDir(), clock: systemClock, retention });
  const index = new NackIndex({ idOf: (key) => sha256(Buffer.from(key)).slice(0, 16) });
  const world: World = new Map();
  const base = { vantage: 'tap', sourceId: 'tap', clientId: 'c1', streamId: 's' } as const;
  const add = async (observation: Observation, bodies: Parameters<typeof recorder.append>[0]['bodies']) => {
    const recorded = { ...observation, seq: recorder.append({ observation, bodies }) };
    foldObservation(world, recorded);
    index.fold(recorded);
    await recorder.flushed();
  };
  const opened = {
    kind: 'stream-opened',
    server: 'x:1',
    method: 'StreamAggregatedResources',
    scope: '',
  } as const;
  await add({ ...base, ...opened, at: 1, node: sampleNode('web') }, []);
  let sizeBytes = 0;
  for (let number = 0; number < groups; number++) {
    const name = `service-${number}`;
    const lbEndpoints = Array.from({ length: endpoints }, (_, at) => ({
      endpoint: {
        address: { socketAddress: { address: `10.${number % 250}.${at >> 8}.${at & 255}`, portValue: 80 } },
      },
    }));
    const body = { clusterName: name, endpoints: [{ lbEndpoints, priority: 129 }] };
    const bytes = encodeBody(EDS.typeUrl, body);
    sizeBytes += bytes.length;
    const hash = sha256(bytes);
    const details = `Proto constraint validation failed (ClusterLoadAssignmentValidationError.Endpoints[0]: embedded message failed validation | caused by LocalityLbEndpointsValidationError.Priority: value must be less than or equal to 128)`;
    const errorState = { details, versionInfo: '2', lastUpdateAttempt: 5_000, failedHash: hash };
    const row = sampleResource({
      typeUrl: EDS.typeUrl,
      name,
      clientStatus: 'NACKED',
      errorState,
      hash: null,
    });
    const nack = { kind: 'nack-sent', typeUrl: EDS.typeUrl, versionInfo: '1', rejectedVersion: '2' } as const;
    await add(
      {
        ...base,
        ...nack,
        at: 5_000 + number,
        nonce: `${number}`,
        errorDetail: details,
        changed: [row],
        removed: [],
      },
      [{ typeUrl: EDS.typeUrl, hash, bytes }],
    );
  }
  const nacks = { book: index, isRestoring: false, since: null };
  const start = () =>
    new NacksApi({
      ...{ live: { world }, recorder, codec, findSettings: () => noSettings, nacks },
      validate: { validateBodies: async () => () => undefined },
      listResources: async () => [],
      clock: { now: () => 0 },
    });
  print(`nacks: ${groups} groups with payloads of ${(sizeBytes / groups / 1e3).toFixed(1)} kB`);
  const query: NacksQuery = nacksQuery.parse({ limit: String(groups) });
  const api = start();
  const [firstPage, again] = [await measure(() => api.list(query)), await measure(() => api.list(query))];
  printMeasured('a page of all, for the first time', firstPage);
  printMeasured('the same again', again);
  printMeasured('a page of 200', await measure(() => start().list(nacksQuery.parse({}))));
  const paths = firstPage.result.items.filter(({ fieldPath }) => fieldPath === 'endpoints[0].priority');
  print(`  ${paths.length} of ${groups} groups have the field`);
  await codec.close();
  await recorder.close();
}

await run(10);
await run(2_000);
