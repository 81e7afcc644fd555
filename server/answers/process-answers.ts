import type { QueryOf } from '@/lib/questions/question';
import type { ResourceBody } from '@/lib/views/inspector/schema';
import type { ProcessQuestions } from '@/lib/views/questions';
import { badRequest, notFound } from '../api-error';
import type { Codec } from '../codec/codec';
import type { TwinRunner } from '../lab/twin/twin-runner';
import type { ControlPlaneWatch } from '../live/control-planes/control-plane-watch';
import type { LiveState } from '../live/live-state';
import type { StreamHub } from '../live/streaming/stream-hub';
import type { Clock } from '../observe';
import type { Recorder } from '../store/recorder/recorder';
import type { Answers } from './ask';
import { buildHealth, type HealthParts } from './build-health';
import { listControlPlanes } from './control-planes/control-planes-api';
import type { ImportsApi } from './files/imports-api';
import type { PinsApi } from './files/pins-api';
import type { ReplaysApi } from './files/replays-api';
import type { InteropRunsApi } from './interop/interop-runs-api';
import type { LabApi } from './lab/lab-api';
import { buildOpenApi } from './openapi/openapi';
import type { PermalinksApi } from './permalinks/permalinks-api';
import type { CertificateReader } from './resources/certificate-reader';
import { CertificatesApi } from './resources/certificates-api';
import type { ServerChecksApi } from './server-checks/server-checks-api';
import { missingSubject } from './simulate-failover';
import type { DescriptorSetsApi } from './sources/descriptor-sets-api';
import { type SourcesApi, unknownSource } from './sources/sources-api';

interface ProcessAnswersParts extends HealthParts {
  readonly clock: Clock;
  readonly certificates: CertificateReader;
  readonly live: Pick<LiveState, 'world' | 'events'>;
  readonly stream: Pick<StreamHub, 'subscribe'>;
  readonly recorder: Pick<Recorder, 'readBody' | 'stats'>;
  readonly codec: Pick<Codec, 'render'>;
  readonly sources: SourcesApi;
  readonly imports: ImportsApi;
  readonly descriptorSets: DescriptorSetsApi;
  readonly pins: PinsApi;
  readonly replays: ReplaysApi;
  readonly permalinks: PermalinksApi;
  readonly labApi: LabApi;
  readonly serverChecks: ServerChecksApi;
  readonly controlPlanes: ControlPlaneWatch;
  readonly interopRuns: InteropRunsApi;
  readonly twins: Pick<TwinRunner, 'clients'>;
}

export function createProcessAnswers(parts: ProcessAnswersParts): Pick<Answers, keyof ProcessQuestions> {
  const { live, stream, version, sources, imports, descriptorSets, pins, replays, permalinks, labApi } =
    parts;
  const { serverChecks, interopRuns } = parts;
  const certificates = new CertificatesApi(parts);
  let openApi: unknown;
  return {
    health: () => buildHealth(parts),
    'openapi.json'() {
      openApi ??= buildOpenApi(version);
      return openApi;
    },
    events({ limit, clientId }) {
      const events = live.events.filter((event) => clientId === undefined || event.clientId === clientId);
      return { items: events.slice(0, limit) };
    },
    stream({ topics }, { signal = new AbortController().signal }) {
      return new Response(stream.subscribe({ topics, signal }), {
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store, no-transform',
          'x-accel-buffering': 'no',
        },
      });
    },
    certificates: (query, { signal }) => certificates.list(query, signal),
    sources: (query) => sources.page(query),
    'sources/{id}': (_query, { params: { id } }) => {
      const source = sources.find(id);
      if (source === undefined) throw unknownSource(id);
      return source;
    },
    credentials: () => ({ items: sources.listCredentials() }),
    imports: () => ({ items: imports.list() }),
    'imports/{id}/problems': (query, { params: { id } }) => imports.problems(id, query),
    'descriptor-sets': () => ({ items: descriptorSets.list() }),
    pins: async () => ({ items: await pins.list() }),
    replays: () => ({ items: replays.list() }),
    async 'permalinks/{id}'(_query, { params: { id } }) {
      const permalink = await permalinks.find(id);
      if (permalink === undefined) throw missingSubject({ permalinkId: id });
      return permalink;
    },
    'interop/runs': () => interopRuns.list(),
    'interop/runs/{id}': (_query, { params: { id } }) => interopRuns.find(id),
    'interop/matrix': () => interopRuns.matrix(),
    'twin-clients': () => ({ items: [...parts.twins.clients] }),
    lab: () => labApi.status(),
    'lab/resources': () => ({ items: labApi.listResources() }),
    'interop/control-planes': () => listControlPlanes(parts),
    'interop/server-checks': () => serverChecks.list(),
    'interop/server-check-permalinks/{id}': (_query, { params: { id } }) => serverChecks.findShared(id),
    'interop/server-checks/{id}': ({ format }, { params: { id } }) => serverChecks.find(id, format),
    'resources/{hash}': (query, { params: { hash }, signal }) => answerResource(parts, hash, query, signal),
  };
}

/** The bytes of a hash never change; their text depends on the known message types. */
const binaryHeaders = {
  'cache-control': 'private, max-age=31536000, immutable',
  'content-type': 'application/x-protobuf',
};

/** Answers with the body of a resource in the format of the query. */
async function answerResource(
  { recorder, codec }: Pick<ProcessAnswersParts, 'recorder' | 'codec'>,
  hash: string,
  { format, typeUrl, meta }: QueryOf<ProcessQuestions['resources/{hash}']>,
  signal?: AbortSignal,
): Promise<ResourceBody | Response> {
  if (!/^[0-9a-f]{64}$/.test(hash)) {
    throw badRequest(`hash: expected 64 hex digits, got ${JSON.stringify(hash)}`, 'hash');
  }
  const body = await recorder.readBody(hash, typeUrl);
  if (body === undefined) throw notFound('Resource', `no resource has the id ${JSON.stringify(hash)}`);
  if (format === 'binary') return new Response(new Uint8Array(body.bytes), { headers: binaryHeaders });
  const rendered = await codec.render(body, format, signal);
  if (meta === '1') {
    return { hash: body.hash, typeUrl: body.typeUrl, sizeBytes: body.bytes.byteLength, ...rendered };
  }
  const mediaType = format === 'json' ? 'application/json' : 'application/yaml';
  const headers = { 'cache-control': 'no-cache', 'content-type': `${mediaType}; charset=utf-8` };
  return new Response(rendered.text, { headers });
}
