import type { Issue, IssuePage } from '@/lib/views/issues/schema';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import { startEchoBackend } from '../connections/echo-backend';
import { meshOf, target } from '../connections/mesh';
import { runScripted, type ScriptedRunOptions } from '../scripted-run';

export const chapter = 'unreachable';

/**
 * A client whose management server does not listen, listens, and stops. Compares the issue that xdscope states with the outcome
 * of the client's requests.
 */
export async function runUnreachable(options: ScriptedRunOptions): Promise<void> {
  const { peer, print } = options;
  await runScripted(chapter, options, async (scripted) => {
    const { title, server, isEnvoy, run } = scripted;
    // An Envoy without a listener receives no request. The channelz of grpc-java counts no RPC that fails without a connection.
    const countsRpcs = !isEnvoy && peer.name !== 'grpc-java';
    const backend = await startEchoBackend();
    scripted.stopAtEnd(backend.stop);
    const listenerPort = await freePort();
    const hosts = [{ port: backend.port, priority: 0, health: 'HEALTHY' }];
    await scripted.serve(meshOf({ flavor: peer.flavor, listenerPort, hosts, ejects: false }));
    await server.stop();
    const client = await scripted.startClient({ listenerPorts: isEnvoy ? { [target]: listenerPort } : {} });
    const observe = async (name: string, kinds: readonly ('csds' | 'channelz' | 'envoy-admin')[]) => {
      const xdscope = await scripted.startXdscope(name);
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
        `${title.padEnd(22)} ${scripted.moment.padEnd(24)} ${found.severity}: ${found.impact.text}. ${found.title}`,
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
  });
}
