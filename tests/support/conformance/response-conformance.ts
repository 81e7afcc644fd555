import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { defaultProbeSettings } from '@/server/xds/probe/probe-settings';
import { plainServer } from '@/server/xds/stream/server-config';
import { probeStory, targetOf } from '../xds-probe-story';
import { encodeMessage } from '../xds-wire';
import { type ConformanceKind, endConformance, isAlive, launchConformance } from './conformance-child';
import { conformanceGraph } from './conformance-graph';

/** One after the other is put before the client, when it has answered the one before. */
export interface ResponseCase {
  readonly title: string;
  readonly typeUrl: string;
  /** Fields of DiscoveryResponse; type_url is the one of the case, and the version "v1", "v2" ... unless said. */
  readonly responses: readonly Readonly<Record<string, unknown>>[];
}

/** In which a client asks for the resource. */
const startMs = 10_000;

/** How long no answer has to be none. */
const silenceMs = 700;

/**
 * What a client answers to each response: "ACK v1", "NACK v1" (with the version that it sent), or "silence". `ours` is
 * the probe in the mode of the profile's client.
 */
export async function answersOf(
  conformance: ConformanceKind | { readonly kind: 'ours'; readonly profile: 'core' | 'node' },
  cases: readonly ResponseCase[],
): Promise<Record<string, readonly string[]>> {
  const server = new ManagementServer({ clock: systemClock });
  const target = await server.listen();
  let child = conformance.kind === 'ours' ? undefined : launchConformance(conformance, target, []);
  const answers: Record<string, readonly string[]> = {};
  for (const { title, typeUrl, responses } of cases) {
    if (conformance.kind !== 'ours' && child !== undefined && !isAlive(child))
      child = launchConformance(conformance, target, []);
    const listener = `listener-${Object.keys(answers).length}`;
    server.setResources('*', conformanceGraph(typeUrl, listener));
    const story =
      conformance.kind === 'ours'
        ? probeStory({
            target,
            clock: systemClock,
            settings: {
              ...defaultProbeSettings(plainServer(targetOf(target))),
              mode: 'validate',
              profile: conformance.profile,
              certificateProviders: new Set(),
              interest: { wildcard: false, listeners: [listener], resources: new Map() },
            },
          })
        : undefined;
    const said: string[] = [];
    await new Promise<void>((resolve) => {
      let timer: NodeJS.Timeout | undefined = setTimeout(() => {
        said.push('asks for nothing');
        stop();
        resolve();
      }, startMs);
      const next = (): void => {
        clearTimeout(timer);
        const fields = responses[said.length];
        if (fields === undefined) {
          stop();
          resolve();
          return;
        }
        const version = `${listener} v${said.length + 1}`;
        const nonce = `n${said.length + 1}`;
        server.pushRaw(
          '*',
          encodeMessage('envoy.service.discovery.v3.DiscoveryResponse', {
            typeUrl,
            versionInfo: version,
            nonce,
            ...named(fields, listener),
          }),
        );
        timer = setTimeout(() => {
          said.push(child !== undefined && !isAlive(child) ? 'crash' : 'silence');
          next();
        }, silenceMs);
      };
      let hasStarted = false;
      const stop = server.onRequest((request) => {
        if (request.typeUrl !== typeUrl || !request.resourceNames.includes(listener)) return;
        if (!hasStarted && request.responseNonce === '') {
          hasStarted = true;
          // After what the server itself says to the request, and the answer to that.
          const begin = (): void => {
            if (server.isAnswered()) next();
            else setImmediate(begin);
          };
          setImmediate(begin);
        } else if (request.responseNonce === `n${said.length + 1}`) {
          // Others are of what was sent before: grpc-js-xds keeps them from client to client.
          const [of, own] = request.versionInfo.split(' ');
          const version = of === listener && own !== undefined ? own : 'none';
          said.push(`${request.errorDetail === null ? 'ACK' : 'NACK'} ${version}`);
          next();
        }
      });
      child?.stdin?.write(`${listener}\n`);
      story?.probe.start();
    });
    await story?.probe.close();
    answers[title] = said;
  }
  if (child !== undefined) await endConformance(child);
  await server.close();
  return answers;
}

/** Resources are made for the name that is asked for. */
function named(fields: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  const { resources } = fields;
  return typeof resources === 'function' ? { ...fields, resources: resources(name) } : { ...fields };
}
