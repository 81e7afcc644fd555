import path from 'node:path';
import { sha256 } from '@/server/codec/sha256';
import { freePort } from '../../support/free-port';
import { startChild } from '../child';
import type { ControlPlane, ServerEvent } from '../control-plane';
import { buildGo } from '../go-build';
import type { ControlPlanePeer } from '../peer';

const module_ = 'github.com/envoyproxy/go-control-plane';

export const goControlPlane: ControlPlanePeer = {
  name: 'go-control-plane',
  versions: ['0.14.0'],
  tools: ['go'],
  inputs: ['tests/peers/go-control-plane/server.go', 'tests/peers/go-build.ts'],
  answersRemoval: true,
  prepare: (dir, version) =>
    buildGo(dir, 'go-control-plane/server.go', [
      `${module_}@v${version}`,
      `${module_}/envoy@v1.40.0`,
      'google.golang.org/grpc@v1.85.0',
    ]),
  async start({ dir }, { workDir, minPingTime }): Promise<ControlPlane> {
    const args = [
      `127.0.0.1:${await freePort()}`,
      '127.0.0.1:0',
      ...(minPingTime === undefined ? [] : [minPingTime]),
    ];
    const child = startChild(path.join(dir, 'program'), args, {
      logFile: path.join(workDir, 'go-control-plane.log'),
    });
    const [xdsPort, controlPort] = await child.line('READY');
    const control = async (method: string, question: string, body?: object): Promise<Response> => {
      const response = await fetch(`http://127.0.0.1:${controlPort}/${question}`, {
        method,
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${question}: ${response.status} ${await response.text()}`);
      return response;
    };
    const pushed: { typeUrl: string; version: string; payloads: Record<string, string> }[] = [];
    return {
      target: `127.0.0.1:${xdsPort}`,
      async push(typeUrl, resources, version) {
        const payloads = Object.fromEntries(
          resources.map(({ name, bytes }) => [name, `encoded again: ${sha256(bytes)}`]),
        );
        pushed.push({ typeUrl, version, payloads });
        const bodies = resources.map(({ bytes }) => Buffer.from(bytes).toString('base64'));
        await control('POST', 'type', { typeUrl, version, resources: bodies });
      },
      stop: async () => void (await control('POST', 'stop')),
      start: async () => void (await control('POST', 'start')),
      async events() {
        const events = (await (await control('GET', 'events')).json()) as Omit<ServerEvent, 'payloads'>[];
        return events.map((event) => {
          const push = pushed.find(
            (each) => each.typeUrl === event.typeUrl && each.version === event.version,
          );
          const all = Object.entries(event.kind === 'response' ? (push?.payloads ?? {}) : {});
          return {
            ...event,
            payloads: Object.fromEntries(all.filter(([name]) => event.names.includes(name))),
          };
        });
      },
      close: () => child.stop(),
    };
  },
};
