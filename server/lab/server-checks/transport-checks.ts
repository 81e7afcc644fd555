import { Agent } from 'node:http';
import { checkSources } from '@/lib/server-checks/check-source';
import { CDS } from '@/lib/xds/resource-type';
import { findRestPath } from '@/lib/xds/rest-path';
import { startHttpCall } from '../../transport/http-client/http-call';
import { parseTarget } from '../../transport/targets/target';
import { type CheckRun, isSameSet, type RunnableCheck } from './check-run';
import { sent } from './sotw-checks';

const pingMs = 5_000;
/**
 * A server of gRPC-Go ends a connection at the fourth PING after its last response, if these follow within 5 minutes. The time allows
 * for timers that are late on a busy machine.
 */
const pingedMs = 26_000;
const restTimeoutMs = 5_000;

/** How a server is reached: streams of one type, PINGs, REST-JSON polling. */
export const transportChecks: readonly RunnableCheck[] = [
  {
    ...{ id: 'T1', level: 'informational', source: checkSources.variants },
    title: 'A stream of CDS alone has the clusters of ADS',
    expected: 'ClusterDiscoveryService answers with every cluster.',
    async run(t) {
      const stream = t.open(false, { type: CDS });
      stream.send({ typeUrl: CDS.typeUrl });
      return sent(await t.next(stream, CDS, 0), (names) => isSameSet(names, t.clusters), stream);
    },
  },
  {
    ...{ id: 'T2', level: 'informational', source: checkSources.pings },
    title: 'A connection with a PING every 5 seconds stays open',
    expected: 'A stream is open after four PINGs, sent in 20 seconds.',
    async run(t) {
      const stream = t.open(false, { keepaliveMs: pingMs });
      stream.send({ typeUrl: CDS.typeUrl });
      const first = await t.next(stream, CDS, 0);
      if (first === undefined) return { isMet: undefined, seen: stream.ended ?? 'no response' };
      stream.ack(first);
      await stream.until(() => false, pingedMs);
      return { isMet: stream.ended === undefined, seen: stream.ended ?? 'the stream is open' };
    },
  },
  {
    ...{ id: 'T3', level: 'should', source: checkSources.restUpdate },
    ...{ changesConfig: true, features: ['rest'] },
    title: 'A poll by REST-JSON with the current version is answered with 304',
    expected: 'A poll is answered with the clusters, and the next one, with their version, with 304.',
    async run(t) {
      const first = await poll(t, '');
      const version = String(Object(first.body).versionInfo ?? '');
      const next = await poll(t, version);
      return {
        isMet: first.status === 200 && version !== '' && next.status === 304,
        seen: `${first.status} with version "${version}", then ${next.status}`,
      };
    },
  },
];

const restLimitBytes = 1024 * 1024;

/** The target is that of an adapter, on this machine. */
async function poll(t: CheckRun, versionInfo: string): Promise<{ status: number | string; body: unknown }> {
  const { typeUrl } = CDS;
  t.record({ isSent: true, typeUrl, version: versionInfo, names: [] });
  const parsed = parseTarget(t.adapter.restTarget ?? '');
  if (!parsed.ok) return { status: parsed.problem.message, body: undefined };
  const agent = new Agent();
  const outcome = await startHttpCall({
    ...{
      method: 'POST',
      target: parsed.target,
      path: findRestPath(typeUrl, 'v3') ?? '',
      isTls: false,
      agent,
    },
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ node: t.node, versionInfo, typeUrl }),
    ...{
      connectTimeoutMs: restTimeoutMs,
      timeoutMs: restTimeoutMs,
      maxBytes: restLimitBytes,
      clock: t.clock,
    },
  }).outcome;
  agent.destroy();
  if (outcome.kind !== 'answer') return { status: outcome.kind, body: undefined };
  const body = outcome.status === 200 ? parseJson(outcome.body.toString()) : {};
  const { versionInfo: version = '', resources = [] } = Object(body);
  const names = Array.isArray(resources) ? resources.map((each) => String(Object(each).name)) : [];
  t.record({ isSent: false, typeUrl, version: String(version), names });
  return { status: outcome.status, body };
}

/** A body that is not JSON has no version, which the check states. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
