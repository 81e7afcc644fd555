import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBootstrap } from '@/server/bootstrap/read-bootstrap';

const insecure = [{ type: 'insecure' }];
const server = { server_uri: '127.0.0.1:18000', channel_creds: insecure };
const read = (bootstrap: unknown) => readBootstrap({ json: JSON.stringify(bootstrap) });

describe('readBootstrap', () => {
  test('reads the bootstrap that all measured clients accept', () => {
    const bootstrap = read({
      xds_servers: [{ ...server, server_features: ['xds_v3'], unknown_field: 1 }],
      node: {
        id: 'x',
        cluster: 'c',
        locality: { region: 'eu', zone: 'eu-1', sub_zone: 'r' },
        metadata: { app: 'shop' },
      },
      certificate_providers: {},
    });
    expect(bootstrap).toEqual({
      target: '127.0.0.1:18000',
      nodeId: 'x',
      node: {
        id: 'x',
        cluster: 'c',
        locality: { region: 'eu', zone: 'eu-1', subZone: 'r' },
        metadata: { app: 'shop' },
      },
      servers: [{ target: '127.0.0.1:18000', credentials: 'insecure', features: ['xds_v3'] }],
      authorities: {},
    });
  });

  test('keeps the order of several servers, and authorities as they are', () => {
    const authorities = { 'xds.example': { xds_servers: [server] } };
    const second = { ...server, server_uri: 'dns:///fallback.example:443' };
    const bootstrap = read({ xds_servers: [server, second], authorities });
    expect(bootstrap.servers.map(({ target }) => target)).toEqual([
      '127.0.0.1:18000',
      'fallback.example:443',
    ]);
    expect(bootstrap).toMatchObject({ target: '127.0.0.1:18000', nodeId: '', authorities });
  });

  test('the first supported credentials win, unknown ones before them are passed over', () => {
    const creds = [{ type: 'from_the_future' }, { type: 'google_default' }, { type: 'insecure', config: {} }];
    expect(read({ xds_servers: [{ ...server, channel_creds: creds }] }).servers[0]?.credentials).toBe(
      'insecure',
    );
  });

  test('reads a file', () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'bootstrap-'));
    const file = path.join(dir, 'bootstrap.json');
    writeFileSync(file, JSON.stringify({ xds_servers: [server] }));
    expect(readBootstrap({ file }).target).toBe('127.0.0.1:18000');
    rmSync(dir, { recursive: true });
  });

  const refusals: { title: string; bootstrap: unknown; message: string | RegExp }[] = [
    { title: 'no object', bootstrap: [], message: 'the bootstrap: expected an object, got an empty list' },
    { title: 'no servers', bootstrap: {}, message: 'xds_servers: expected a list, got nothing' },
    {
      title: 'an empty server list',
      bootstrap: { xds_servers: [] },
      message: 'xds_servers: expected at least one, got an empty list',
    },
    {
      title: 'a server without a URI',
      bootstrap: { xds_servers: [{ channel_creds: insecure }] },
      message: 'xds_servers[0].server_uri: expected text, got nothing',
    },
    {
      title: 'a server with an empty URI',
      bootstrap: { xds_servers: [{ ...server, server_uri: '' }] },
      message: 'xds_servers[0].server_uri: expected at least one, got ""',
    },
    {
      title: 'a server that is no address',
      bootstrap: { xds_servers: [server, { ...server, server_uri: 'unix:/run/xds.sock' }] },
      message:
        'xds_servers[1].server_uri: expected host:port, dns:, ipv4: or ipv6:, got "unix:/run/xds.sock"',
    },
    {
      title: 'no credentials',
      bootstrap: { xds_servers: [{ server_uri: 'a:1' }] },
      message: 'xds_servers[0].channel_creds: expected a list, got nothing',
    },
    {
      title: 'credentials that are not there yet, and made-up ones',
      bootstrap: { xds_servers: [{ ...server, channel_creds: [{ type: 'tls' }, { type: 'magic' }] }] },
      message:
        'xds_servers[0].channel_creds: expected "insecure" among the types, got "tls" (known, not supported yet), "magic" (unknown)',
    },
    {
      title: 'a node id that is a number',
      bootstrap: { xds_servers: [server], node: { id: 7 } },
      message: 'node.id: expected text, got 7',
    },
    {
      title: 'a zone that is a list',
      bootstrap: { xds_servers: [server], node: { locality: { zone: ['a'] } } },
      message: 'node.locality.zone: expected text, got a list',
    },
  ];
  for (const { title, bootstrap, message } of refusals) {
    test(`${title} is refused by the name of the field`, () => {
      expect(() => read(bootstrap)).toThrow(new Error(String(message)));
    });
  }

  test('what is no JSON is said in one line', () => {
    expect(() => readBootstrap({ json: '{\n "xds_servers": [' })).toThrow(
      /^expected JSON in the bootstrap, got: [^\n]+$/,
    );
  });

  test('a file that is not there is said with its name', () => {
    expect(() => readBootstrap({ file: '/nowhere/bootstrap.json' })).toThrow(
      'expected a bootstrap file at "/nowhere/bootstrap.json", got ENOENT',
    );
  });
});
