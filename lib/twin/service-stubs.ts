import { messageNameOf } from '../xds/resource-type';
import { loopback, type MutableJson, type ServiceAnswer } from './twin';

/** A stub of an external service, which answers every request alike. */
export interface ServiceStub {
  /** `http`: authorization by status. `http-processor`: external processing by JSON. */
  readonly protocol: 'grpc' | 'http' | 'http-processor';
  readonly answer: ServiceAnswer;
}

export const serviceStubs: readonly ServiceStub[] = (['grpc', 'http', 'http-processor'] as const).flatMap(
  (protocol) => (['allow', 'deny'] as const).map((answer) => ({ protocol, answer })),
);

/** The cluster of a stub, which the bootstrap has and no resource names. */
export function clusterOfStub({ protocol, answer }: ServiceStub): string {
  return `xdscope.twin.${protocol}-service.${answer}`;
}

/** A stub answers at once, but the machine may be busy: the default of rate limits is 20 ms. */
const timeout = '5s';

const callers = /^envoy\.extensions\.filters\.http\.(?:ext_authz|ext_proc|ratelimit)\.v3\./;

/** Returns true if the HTTP filter of this type, or of this override for a route, calls a service that a stub can replace. */
export function callsStub(typeUrl: unknown): boolean {
  return typeof typeUrl === 'string' && callers.test(messageNameOf(typeUrl));
}

/** Returns the field that leads to the stub in place of one that leads to a service; undefined for other fields. */
export function replaceService(field: string, answer: ServiceAnswer): object | undefined {
  if (field === 'grpcService')
    return { envoyGrpc: { clusterName: clusterOfStub({ protocol: 'grpc', answer }) }, timeout };
  const http = (protocol: ServiceStub['protocol']) => ({
    uri: `http://${loopback}`,
    cluster: clusterOfStub({ protocol, answer }),
    timeout,
  });
  if (field === 'serverUri') return http('http');
  if (field === 'httpUri') return http('http-processor');
  return undefined;
}

type Note = (field: string, what: string, why: string) => void;

/** Gives a filter that calls a stub time for it, and lets it send nothing to which a stub must answer with a body. */
export function adaptToStub(filter: MutableJson, note: Note): void {
  const type = messageNameOf(String(filter['@type']));
  const patience = type.endsWith('.RateLimit')
    ? 'timeout'
    : type.endsWith('.ExternalProcessor')
      ? 'messageTimeout'
      : '';
  if (patience !== '') {
    filter[patience] = timeout;
    delete filter.maxMessageTimeout;
    note(patience, `set to ${timeout}`, 'a busy machine must not decide the result');
  }
  const { overrides } = filter;
  const owner = type.endsWith('.ExtProcPerRoute') ? (overrides as MutableJson | undefined) : filter;
  const mode = owner?.processingMode as MutableJson | undefined;
  for (const field of ['requestBodyMode', 'responseBodyMode']) {
    if (mode?.[field] !== 'FULL_DUPLEX_STREAMED') continue;
    mode[field] = 'STREAMED';
    note(
      `processingMode.${field}`,
      'FULL_DUPLEX_STREAMED replaced by STREAMED',
      'the stub returns no bodies',
    );
  }
}
