import type { ProcessQuestions } from '@/lib/questions/process-questions';
import type { LiveState } from '../live/live-state';
import type { StreamHub } from '../streaming/stream-hub';
import type { Answers } from './ask';
import { buildHealth, type HealthParts } from './build-health';
import { buildOpenApi } from './openapi/openapi';
import { answerResource, type ResourceAnswerParts } from './resource-answer';
import { CertificatesApi, type CertificatesApiParts } from './resources/certificates-api';

export interface ProcessAnswersParts {
  readonly live: Pick<LiveState, 'events'>;
  readonly stream: Pick<StreamHub, 'subscribe'>;
}

export function createProcessAnswers(
  parts: ProcessAnswersParts & CertificatesApiParts & HealthParts & ResourceAnswerParts,
): Pick<Answers, keyof ProcessQuestions> {
  const { live, stream, version } = parts;
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
    stream({ topics }, { headers, signal = new AbortController().signal }) {
      const lastEventId = headers?.get('last-event-id') ?? undefined;
      return new Response(stream.subscribe({ topics, lastEventId, signal }), {
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store, no-transform',
          'x-accel-buffering': 'no',
        },
      });
    },
    certificates: (query, { signal }) => certificates.list(query, signal),
    'resources/{hash}': (query, { params: { hash }, signal }) => answerResource(parts, hash, query, signal),
  };
}
