import path from 'node:path';
import { sha256 } from '@/server/codec/sha256';
import { freePort } from '../../support/free-port';
import { startChild } from '../child';
import type { ControlPlane, ServerEvent } from '../control-plane';
import { buildJava, javaArguments } from '../java-build';
import type { ControlPlanePeer } from '../peer';

export const javaControlPlane: ControlPlanePeer = {
  name: 'java-control-plane',
  versions: ['1.0.49'],
  tools: ['java', 'javac', 'mvn'],
  inputs: [
    'tests/peers/java-control-plane/ControlPlane.java',
    'tests/peers/java-control-plane/pom.xml',
    'tests/peers/java-build.ts',
  ],
  answersRemoval: false,
  prepare: (dir, version) =>
    buildJava(dir, 'java-control-plane', 'ControlPlane.java', [`controlplane.version=${version}`]),
  async start({ dir }, { workDir }): Promise<ControlPlane> {
    const address = `127.0.0.1:${await freePort()}`;
    const child = startChild('java', [...javaArguments(dir, 'ControlPlane'), address], {
      logFile: path.join(workDir, 'java-control-plane.log'),
    });
    const pushed = new Map<string, Record<string, string>>();
    const events: ServerEvent[] = [];
    child.onLine((line) => {
      const [word, at, kind, , typeUrl = '', version = '', ...lists] = line.split(' ');
      if (word !== 'EVENT') return;
      const [names = [], [text = ''] = [], versions = [], removed = []] = lists.map((list) =>
        list === '-' ? [] : list.split(','),
      );
      const all = kind === 'response' ? (pushed.get(`${typeUrl} ${version}`) ?? {}) : {};
      const isDelta = versions.length > 0 || removed.length > 0;
      const payloads = isDelta
        ? Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))
        : all;
      events.push({
        atMs: Number(at),
        kind: kind as ServerEvent['kind'],
        typeUrl,
        version: version === '-' ? '' : version,
        names: kind === 'response' ? Object.keys(payloads) : names,
        payloads,
        ...(isDelta && {
          removed,
          versions: Object.fromEntries(names.map((name, index) => [name, versions[index] ?? ''])),
        }),
        text: Buffer.from(text, 'base64').toString('utf8'),
      });
    });
    const command = async (line: string): Promise<void> => {
      const done = child.line('DONE');
      child.write(line);
      await done;
    };
    const [port] = await child.line('READY');
    return {
      target: `127.0.0.1:${port}`,
      async push(typeUrl, resources, version) {
        pushed.set(
          `${typeUrl} ${version}`,
          Object.fromEntries(resources.map(({ name, bytes }) => [name, sha256(bytes)])),
        );
        const bodies = resources.map(({ bytes }) => Buffer.from(bytes).toString('base64'));
        await command(['push', typeUrl, version, ...bodies].join(' '));
      },
      stop: () => command('stop'),
      start: () => command('start'),
      events: async () => events,
      close: () => child.stop(),
    };
  },
};
