import { defaultProbeSettings } from '@/server/collect/xds/probe/probe-settings';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { plainServer } from '@/server/transport/bootstrap/server-config';
import { encodeMessage } from '../builders/xds-wire';
import { probeStory, targetOf } from '../xds-probe-story';
import { type ConformanceKind, endConformance, isAlive, launchConformance } from './conformance-child';
import { conformanceGraph } from './conformance-graph';

/** Responses that are sent to the client, each after the answer to the previous one. */
export interface ResponseCase {
  readonly title: string;
  readonly typeUrl: string;
  /** Fields of DiscoveryResponse. By default, type_url is that of the case, and versions are "v1", "v2" ... */
  readonly responses: readonly Readonly<Record<string, unknown>>[];
}

/** The time in which a client subscribes to the resource. */
const startMs = 10_000;

/** The time after which an absent answer is silence. */
const silenceMs = 700;

/**
 * The answers of a client to each response: "ACK v1", "NACK v1" (with the version that it sent), or "silence". `ours`
 * is the probe in the mode of the profile's client.
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
              // The versions whose answers were recorded.
              profile: conformance.profile === 'core' ? 'core-1.51' : 'node-1.14',
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
          // This is after the server's own response and the answer to it.
          const begin = (): void => {
            if (server.isAnswered()) next();
            else setImmediate(begin);
          };
          setImmediate(begin);
        } else if (request.responseNonce === `n${said.length + 1}`) {
          // Others answer earlier responses, whose resources grpc-js-xds shares between clients.
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

/** Builds the resources for the requested name. */
function named(fields: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  const { resources } = fields;
  return typeof resources === 'function' ? { ...fields, resources: resources(name) } : { ...fields };
}
