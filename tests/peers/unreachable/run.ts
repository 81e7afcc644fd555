import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Issue, IssuePage } from '@/lib/views/issues/schema';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import { startEchoBackend } from '../connections/echo-backend';
import { meshOf, target } from '../connections/mesh';
import { startScriptedServer } from '../control-plane';
import type { ClientPeer, Prepared } from '../peer';
import type { Results } from '../results';
import { startXdscope } from '../xdscope';

export const chapter = 'unreachable';

/**
 * A client whose management server does not listen, listens, and stops. Compares the issue that xdscope states with the outcome
 * of the client's requests.
 */
export async function runUnreachable(options: {
  readonly peer: ClientPeer;
  readonly prepared: Prepared;
  readonly workDir: string;
  readonly results: Results;
  readonly print: (line: string) => void;
}): Promise<void> {
  const { peer, prepared, results, print } = options;
  const title = `${peer.name} ${prepared.version}`;
  const of = { flavor: peer.flavor, peer: title, protocol: 'sotw', server: 'scripted', chapter } as const;
  const workDir = path.join(options.workDir, `${peer.name}-${prepared.version}-${chapter}`);
  const isEnvoy = peer.flavor === 'envoy';
  // An Envoy without a listener receives no request. The channelz of grpc-java counts no RPC that fails without a connection.
  const countsRpcs = !isEnvoy && peer.name !== 'grpc-java';
  const stops: (() => Promise<void> | void)[] = [];
  let moment = 'start';
  try {
    const backend = await startEchoBackend();
    stops.unshift(backend.stop);
    const server = await startScriptedServer();
    stops.unshift(() => server.close());
    const listenerPort = await freePort();
    const hosts = [{ port: backend.port, priority: 0, health: 'HEALTHY' }];
    const resources = meshOf({ flavor: peer.flavor, listenerPort, hosts, ejects: false });
    for (const { typeUrl } of [CDS, EDS, LDS]) {
      const ofType = resources.filter((each) => each.typeUrl === typeUrl);
      const encoded = ofType.map(({ name, body }) => ({ typeUrl, name, bytes: encodeBody(typeUrl, body) }));
      await server.push(typeUrl, encoded, 'v1');
    }
    await server.stop();
    mkdirSync(workDir, { recursive: true });
    const client = await peer.start(prepared, {
      ...{ nodeId: chapter, servers: [server.target], serverFeatures: [], protocol: 'sotw', workDir },
      listenerPorts: isEnvoy ? { [target]: listenerPort } : {},
    });
    stops.unshift(() => client.stop());
    const observe = async (name: string, kinds: readonly ('csds' | 'channelz' | 'envoy-admin')[]) => {
      const dir = path.join(workDir, name);
      mkdirSync(dir, { recursive: true });
      const servers = [server.target] as const;
      const xdscope = await startXdscope({
        ...{ vantage: isEnvoy ? 'admin' : 'csds', servers, entrances: servers, workDir: dir },
      });
      stops.unshift(() => xdscope.stop());
      for (const kind of kinds) await xdscope.observe(client.adminTarget, kind);
      return async (): Promise<readonly Issue[]> => (await xdscope.get<IssuePage>('issues')).items;
    };
    const issues = await observe('all', isEnvoy ? ['envoy-admin'] : ['csds', 'channelz']);
    const issuesOfCsds = isEnvoy ? undefined : await observe('csds', ['csds']);
    const requestsAre = (expected: 'ok' | 'error'): Promise<true> =>
      waitUntil(`requests end with ${expected}`, async () => {
        const calls = Object.values((await client.account(server)).calls);
        return calls.length > 0 && calls.every((call) => call.startsWith(expected));
      });
    const expectIssue = async (
      read: () => Promise<readonly Issue[]>,
      expected: Pick<Issue, 'kind' | 'severity'> & { readonly level: Issue['impact']['level'] },
    ): Promise<void> => {
      const found = await waitUntil(`xdscope states ${JSON.stringify(expected)}`, async () => {
        const all = await read();
        const issue = all.find(({ kind }) => kind === expected.kind);
        if (issue?.severity === expected.severity && issue.impact.level === expected.level) return issue;
        throw new Error(all.map((each) => `${each.kind} ${each.severity} ${each.impact.text}`).join('; '));
      });
      print(
        `${title.padEnd(22)} ${moment.padEnd(24)} ${found.severity}: ${found.impact.text}. ${found.title}`,
      );
      if (found.kind === 'unreachable' && expected.level === 'all-fail' && countsRpcs)
        await waitUntil('the issue states the RPCs that failed', async () => {
          // An account sends RPCs, of which too few have failed so far.
          await client.account(server);
          return (await read()).some(
            ({ kind, cause }) =>
              kind === 'unreachable' && cause.some(({ text }) => text.endsWith('RPCs failed by channelz')),
          );
        });
      if (found.kind === 'unreachable' && !found.title.includes(server.target))
        throw new Error(`expected the address ${server.target}, got ${found.title}`);
      const others = (await read()).filter(({ kind }) => kind === 'unreached' || kind === 'unreachable');
      if (others.length > 1) throw new Error(`expected one issue, got ${others.length}`);
    };
    const run = async (name: string, steps: () => Promise<void>): Promise<void> => {
      moment = name;
      await steps();
      results.pass({ ...of, moment });
    };

    await run('never reached', async () => {
      await requestsAre('error');
      await expectIssue(issues, { kind: 'unreachable', severity: 'critical', level: 'all-fail' });
      if (issuesOfCsds !== undefined)
        await expectIssue(issuesOfCsds, { kind: 'unreached', severity: 'critical', level: 'all-fail' });
    });
    await run('reached', async () => {
      await server.start();
      await requestsAre('ok');
      for (const read of [issues, ...(issuesOfCsds === undefined ? [] : [issuesOfCsds])])
        await waitUntil('xdscope states no issue', async () =>
          (await read()).every(({ kind }) => kind !== 'unreached' && kind !== 'unreachable'),
        );
    });
    await run('lost', async () => {
      await server.stop();
      await expectIssue(issues, { kind: 'unreachable', severity: 'warning', level: 'frozen' });
      await requestsAre('ok');
    });
    await run('reached again', async () => {
      await server.start();
      await waitUntil('xdscope states no issue', async () =>
        (await issues()).every(({ kind }) => kind !== 'unreachable'),
      );
      await requestsAre('ok');
    });
  } catch (error) {
    print(results.fail({ ...of, moment }, error));
  } finally {
    for (const stop of stops) await stop();
  }
}
