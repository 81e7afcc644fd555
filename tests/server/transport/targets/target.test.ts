import { describe, expect, it } from 'vitest';
import { parseTarget } from '@/server/transport/targets/target';

describe('parseTarget accepts host:port', () => {
  it.each([
    ['127.0.0.1:50051', '127.0.0.1', 50051, '127.0.0.1:50051'],
    [' Mesh.Example:1 ', 'mesh.example', 1, 'mesh.example:1'],
    ['[::1]:65535', '::1', 65535, '[::1]:65535'],
    ['[FE80::1]:9', 'fe80::1', 9, '[fe80::1]:9'],
    ['istiod.istio-system.svc.cluster.local.:15010', 'istiod.istio-system.svc.cluster.local.', 15010, null],
    ['my_host:80', 'my_host', 80, null],
    ['unix:80', 'unix', 80, null],
  ])('%s', (text, host, port, shown) => {
    expect(parseTarget(text)).toEqual({ ok: true, target: { host, port, text: shown ?? text } });
  });
});

describe('parseTarget rejects any other text and reports the reason', () => {
  it.each([
    ['', 'nothing'],
    ['localhost', 'the port is missing'],
    [':50051', 'the host is missing'],
    ['localhost:', '"" is not a port'],
    ['localhost:0', '1 to 65535'],
    ['localhost:65536', '1 to 65535'],
    ['localhost:http', '"http" is not a port'],
    ['localhost:-1', '"-1" is not a port'],
    ['localhost:99999999999', 'is not a port'],
    ['http://localhost:80', 'leave the scheme out'],
    ['dns:///localhost:80', 'leave the scheme out'],
    ['dns:localhost:80', 'leave the scheme out'],
    ['unix:/tmp/x.sock', 'leave the scheme out'],
    ['unix:socket', 'leave the scheme out'],
    ['xds:///listener', 'leave the scheme out'],
    ['localhost:80/path', 'paths are not allowed'],
    ['localhost:80?x', 'paths are not allowed'],
    ['me:secret@localhost:80', 'user names are not allowed'],
    ['::1', 'in brackets'],
    ['::1:80', 'in brackets'],
    ['[::1]', 'the port is missing'],
    ['[localhost]:80', 'no IPv6 address'],
    ['[::1]80', 'is not a port'],
    ['127.1:80', 'not a host name or an IP address'],
    ['2130706433:80', 'not a host name or an IP address'],
    ['0x7f000001:80', 'not a host name or an IP address'],
    ['127.0.0.0x1:80', 'not a host name or an IP address'],
    ['169.254.43518.:80', 'not a host name or an IP address'],
    ['0x7f.0.0.1:80', 'not a host name or an IP address'],
    ['a b:80', 'not a host name or an IP address'],
    ['a\nb:80', 'not a host name or an IP address'],
    ['-a:80', 'not a host name or an IP address'],
    ['a..b:80', 'not a host name or an IP address'],
    ['éa:80', 'not a host name or an IP address'],
  ])('%j', (text, expected) => {
    const parsed = parseTarget(text);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) {
      expect(parsed.problem.message).toMatch(/^expected host:port, got /);
      expect(parsed.problem.message).toContain(expected);
      expect(parsed.problem.message).not.toContain('secret');
    }
  });
});
